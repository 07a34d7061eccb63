#!/usr/bin/env bash
# A release on a package index of this machine: tools/rehearse.sh DIST PYTHON...
# Uploads the wheels of DIST, installs from there into a new environment of each Python, and runs
# the demo in an empty folder. Needs pypiserver and twine, which it installs for itself.
set -euo pipefail
dist=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT

python3 -m venv "$folder/tools"
"$folder/tools/bin/python" -m pip --quiet --disable-pip-version-check install pypiserver twine
mkdir "$folder/index"
port=${PORT:-8765}
"$folder/tools/bin/pypi-server" run --port "$port" --interface 127.0.0.1 \
  --passwords . --authenticate . "$folder/index" > "$folder/server.log" 2>&1 &
server=$!
for _ in $(seq 50); do
  python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port')" 2> "$folder/wait.log" && break
  sleep 0.2
done

"$folder/tools/bin/twine" check --strict "$dist"/*
TWINE_USERNAME=none TWINE_PASSWORD=none "$folder/tools/bin/twine" upload --non-interactive \
  --disable-progress-bar --repository-url "http://127.0.0.1:$port" "$dist"/*

for python in "$@"; do
  began=$SECONDS
  env=$folder/$(basename "$python")
  "$python" -m venv "$env"
  "$env/bin/python" -m pip --disable-pip-version-check install --no-cache-dir \
    --extra-index-url "http://127.0.0.1:$port/simple" 'arenite[image]' > "$folder/pip.log"
  grep "127.0.0.1:$port.*arenite" "$folder/pip.log"
  mkdir -p "$folder/empty"
  cp -r "$here/examples/digits" "$folder/empty"
  (cd "$folder/empty/digits" && "$env/bin/python" demo.py && "$env/bin/arenite" --version)
  echo "-- $("$python" --version): $((SECONDS - began)) s from an empty environment"
done
