#!/usr/bin/env bash
# Runs the test suite against an installed wheel: tools/test_wheel.sh WHEEL
# In a new environment and an empty folder, where the tests are and the sources are not.
set -euo pipefail
wheel=$(realpath "$1")
cd "$(dirname "$0")/.."
here=$PWD
python=$(command -v "${PYTHON:-python3}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

git ls-files -- . ':!:src' ':!:tests/test_architecture.py' | tar -cf - -T - | tar -xf - -C "$folder"
cd "$folder"
"$python" -m venv .venv
pip() { .venv/bin/python -m pip --quiet --disable-pip-version-check install "$@"; }
pip --require-hashes --requirement requirements/test.txt
pip "arenite[board] @ file://$wheel"
.venv/bin/python - <<'CHECK'
import arenite
from arenite import native

assert "site-packages" in arenite.__file__, arenite.__file__
assert native.available(), "the wheel has no native engine"
from arenite.native.program import isa

print(f"arenite {arenite.__version__} from a wheel, kernels for {isa()}")
CHECK
if [ -d "$here/../shared" ]; then export ARENITE_SHARED="$here/../shared"; fi
# Left out: whether the pages name and link to source files that exist.
.venv/bin/python -m pytest -n "${JOBS:-auto}" \
  --deselect tests/test_documents.py::test_files_that_pages_name_exist \
  --deselect "tests/test_documents.py::test_links_to_files_lead_somewhere[firmware.md]"
