"""The oldest and the newest Python here that Arenite runs on, other than the one that asks.

``python3 tools/pythons.py`` prints a path per line: of what PATH and pyenv have.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

MINORS = range(10, 30)
CHECK = "import sys, venv, ensurepip; print(*sys.version_info[:2])"


def candidates(minor: int) -> list[str]:
    """Where Python 3.``minor`` may be."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [shutil.which(f"python3.{minor}")]
    found += sorted(map(str, root.glob(f"versions/3.{minor}.*/bin/python3.{minor}")))
    return [path for path in found if path]


def works(path: str, minor: int) -> bool:
    """Whether that is such a Python, with venv; pyenv's stand-ins may have nothing behind them."""
    done = subprocess.run([path, "-c", CHECK], capture_output=True, text=True, check=False)
    return done.stdout.split() == ["3", str(minor)]


def main() -> None:
    """Print the two."""
    others = [minor for minor in MINORS if minor != sys.version_info[1]]
    paths = [next((p for p in candidates(m) if works(p, m)), None) for m in others]
    there = [path for path in paths if path]
    print(*dict.fromkeys(there[:1] + there[-1:]), sep="\n")


if __name__ == "__main__":
    main()
