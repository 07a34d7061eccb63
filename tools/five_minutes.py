"""The five-minute page as a newcomer types it: ``python tools/five_minutes.py WHEEL [PYTHON]``.

Installs the wheel with the page's extras into an empty environment, in an empty folder that has
``examples/`` alone, and runs every command and the Python of ``docs/start.md``. Prints how long
each took; ends with 1 if one failed.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "start.md"
#: What ends a command well: ``fit`` tells by its code that a model does not fit, or may not.
WELL = {"fit": (0, 1, 3)}


def steps(page: str) -> Iterator[tuple[str, list[str]]]:
    """What is typed, in the page's order: a line as it stands, and its words."""
    text = re.sub(r"^```python\n(.*?)^```$", _script, page, flags=re.M | re.S)
    for line in re.findall(r"^(?: {4}|\$ )((?:arenite|python -c) .*)$", text, re.M):
        yield line, shlex.split(line)


def _script(block: re.Match[str]) -> str:
    """Code of several lines as one that can be typed."""
    return f"$ python -c {shlex.quote(f'exec({block[1]!r})')}"


def timed(words: list[str], folder: Path) -> tuple[int, float]:
    """The exit code and the seconds of a command; what it says of a failure is printed."""
    began = time.monotonic()
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in WELL.get(words[1], (0,)):
        print(done.stdout[-1000:], done.stderr[-1000:], sep="\n")
    return done.returncode, time.monotonic() - began


def main(wheel: str, python: str = sys.executable) -> int:
    """Whether all went well."""
    page, failed = PAGE.read_text(encoding="utf-8"), 0
    extras = re.search(r"pip install '\.\[([a-z,]+)\]'", page)
    assert extras is not None
    with tempfile.TemporaryDirectory() as temporary:
        folder, scripts = Path(temporary), Path(temporary) / ".venv" / "bin"
        shutil.copytree(ROOT / "examples", folder / "examples")
        what = f"{Path(wheel).resolve()}[{extras[1]}]"
        quiet = ["--quiet", "--disable-pip-version-check"]
        todo = [
            ("python3 -m venv .venv", [python, "-m", "venv", ".venv"]),
            (f"pip install {Path(wheel).name}", [f"{scripts}/pip", "install", *quiet, what]),
            *((line, [f"{scripts}/{words[0]}", *words[1:]]) for line, words in steps(page)),
        ]
        total = 0.0
        for line, words in todo:
            code, seconds = timed(words, folder)
            total += seconds
            is_well = code in WELL.get(words[1], (0,))
            failed += not is_well
            print(f"{seconds:6.1f} s  {'' if is_well else f'exit code {code}: '}{line[:100]}")
        print(f"{total:6.1f} s in all, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
