#!/usr/bin/env bash
# Write requirements/*.txt: what make installs, for every Python from 3.10 on, with hashes and
# without the address of any index. All files name the same versions. With KEEP set, versions stay
# what they are, and only what pyproject.toml newly asks for is added.
set -euo pipefail
cd "$(dirname "$0")/.."

lock() { # lock NAME ARGUMENT...
  local name=$1
  shift
  "$BIN/uv" pip compile --constraint "$known" --quiet --universal --python-version 3.10 --generate-hashes \
    --no-annotate --no-emit-index-url --no-emit-find-links \
    --custom-compile-command "make lock" --output-file "requirements/$name.txt" "$@"
}

# uv does not look at the newest Python that a package allows.
known=$(mktemp)
trap 'rm -f "$known"' EXIT
echo "backports-strenum<1.3; python_version >= '3.11'" > "$known"

build=$(sed -n '/^requires = /s/.*\[\(.*\)\].*/\1/p' pyproject.toml | tr -d '",' | tr ' ' '\n')
[ -n "${KEEP:-}" ] || rm -f requirements/*.txt
lock dev pyproject.toml --group dev --extra board --extra evaluate
same=(--constraint requirements/dev.txt)
lock test pyproject.toml --group test --extra board "${same[@]}"
lock cluster pyproject.toml --group cluster --extra board --extra evaluate "${same[@]}"
lock pages pyproject.toml --group pages --extra board --extra report "${same[@]}"
lock demo pyproject.toml --extra image "${same[@]}"
lock board pyproject.toml --extra board "${same[@]}"
printf '%s\n' "$build" cmake ninja | lock build - "${same[@]}"
# Each has wheels for some versions of Python only, and uv does not look there either.
lock sanitize - "${same[@]}" << 'END'
atheris>=2.3,<3; python_version < '3.11'
atheris>=3,<3.1; python_version == '3.11.*'
atheris>=3.1; python_version >= '3.12'
END
printf '%s\n' lief abi3info | lock wheel - "${same[@]}"
printf '%s\n' "mkdocs-material>=9.6" "mkdocstrings-python>=1.16" | lock site - "${same[@]}"
