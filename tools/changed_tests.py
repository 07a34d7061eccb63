"""Prints the tests of what changed: ``python tools/changed_tests.py BASE``, a commit.

``src/arenite/ROOM/NAME.py`` has its tests in ``tests/ROOM/test_NAME.py``; where that is not
there, in all files of ``tests/ROOM``. A helper of tests has those beside it, and ``tools/NAME.py``
has ``tests/tools/test_NAME.py``. ``tests/test_architecture.py`` is always among them. That is for
an early answer, and no more: what else depends on a change, the whole suite says.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = "tests/test_architecture.py"


def main() -> None:
    """Print the files, one a line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", help="the commit that the sources are compared with")
    print(*of_files(changed_since(parser.parse_args().base), ROOT), sep="\n")


def changed_since(base: str) -> list[str]:
    """Files that differ from a commit, in git's spelling; none where there is no such commit."""
    git = ["git", "diff", "--name-only", base, "--"]
    done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False)
    return [] if done.returncode else done.stdout.splitlines()


def of_files(changed: list[str], root: Path) -> list[str]:
    """The files with tests of some files, sorted, each once."""
    return sorted({ALWAYS, *(test for name in changed for test in of_file(name, root))})


def of_file(name: str, root: Path) -> list[str]:
    """The files with tests of one file."""
    folder = folder_of(PurePosixPath(name))
    if folder is None:
        return []
    stem = PurePosixPath(name).stem
    own = folder / (stem if stem.startswith("test_") else f"test_{stem.strip('_')}")
    own = own.with_suffix(".py")
    if (root / own).exists():
        return [own.as_posix()]
    if folder in (PurePosixPath("tests"), PurePosixPath("tests/tools")):
        return []  # all of them have nothing to do with it
    return sorted(path.relative_to(root).as_posix() for path in (root / folder).glob("test_*.py"))


def folder_of(path: PurePosixPath) -> PurePosixPath | None:
    """The folder of tests that goes with a Python file's; None where there is none."""
    if path.suffix != ".py" or path.parts[0] not in ("src", "tests", "tools"):
        return None
    if path.parts[0] == "src":
        return PurePosixPath("tests", *path.parts[2:-1])
    return path.parent if path.parts[0] == "tests" else "tests" / path.parent


if __name__ == "__main__":
    main()
