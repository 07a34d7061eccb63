"""Fill in ``revisions/commits.csv``: ``python tools/upstream_commits.py FOLDER``.

FOLDER holds clones named tflite-micro, CMSIS-NN, esp-nn and esp-tflite-micro. Every commit since
January 2022 that touches kernels is a row. Of new ones merges, files that are no kernels of ours
(tests, builds, other processors) and changes of comments and spaces alone are judged by rule, those
that a row of ``tflm.csv`` or ``cmsis_nn.csv`` names by that row. The rest gets no verdict: read
the commit and write one; a test fails until then.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "src" / "arenite" / "revisions"
SINCE = "2022-01-01"
MICRO, INTERNAL = "tensorflow/lite/micro", "tensorflow/lite/kernels/internal"
PATHS = {
    "tflite-micro": (f"{MICRO}/kernels", f":(glob){MICRO}/*.cc", INTERNAL),
    "CMSIS-NN": ("Source",),
    "esp-nn": ("src",),
    "esp-tflite-micro": (f"{MICRO}/kernels/esp_nn",),
}
COLUMNS = ("repository", "date", "commit", "verdict", "by", "row", "note", "files")
_OTHERS = re.compile(
    r"/(xtensa|arc_mli|arc_custom|ceva|hexagon|vexriscv|riscv32_mcu|testdata|testing|optimized)/"
    r"|_test|BUILD|\.(bzl|md|inc|mako|txt|py|tflite)$|Makefile|CMakeLists"
)
#: What a change of each kind is to a user.
_VERDICTS = {
    **dict.fromkeys(("struct", "memory", "scratch", "build", "library"), "arena"),
    **dict.fromkeys(("operator", "types", "scales"), "accepts"),
    **dict.fromkeys(("options", "ratios", "other"), "bits"),
    "undefined": "undefined",
}


def main() -> None:
    """Write the table again, with rows for what is new."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the clones are")
    folder = parser.parse_args().folder
    file = TABLES / "commits.csv"
    known = (
        {(row["repository"], row["commit"]): row for row in _rows(file)} if file.exists() else {}
    )
    named = dict(_named())
    found = [
        known.get((name, commit.short)) or _judged(folder / name, name, commit, named)
        for name, paths in PATHS.items()
        for commit in _commits(folder / name, paths)
    ]
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    for row in found:
        if not row["verdict"]:
            print("to judge:", row["repository"], row["commit"], row["date"], row["files"])


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8") as text:
        return list(csv.DictReader(text))


def _named() -> Iterator[tuple[str, tuple[str, str]]]:
    """Commits that rows name, with a verdict and the row."""
    for table in ("tflm.csv", "cmsis_nn.csv"):
        for row in _rows(TABLES / table):
            yield row["commit"], (_VERDICTS[row["what"]], f"{row['what']} {row['subject']}")


class Commit(NamedTuple):
    """One commit: its hash, day, parents and files."""

    name: str
    day: str
    parents: list[str]
    files: list[str]

    @property
    def short(self) -> str:
        """The hash's first eight digits."""
        return self.name[:8]


def _commits(clone: Path, paths: tuple[str, ...]) -> Iterator[Commit]:
    """Newest first."""
    lines = _git(
        *(clone, "log", f"--since={SINCE}", "--format=%x01%H|%cs|%P", "--name-only", "HEAD", "--"),
        *paths,
    )
    for block in lines.split("\x01")[1:]:
        head, *files = block.strip().split("\n")
        name, day, parents = head.split("|")
        yield Commit(name, day, parents.split(), [file for file in files if file])


def _judged(
    clone: Path, name: str, commit: Commit, named: dict[str, tuple[str, str]]
) -> dict[str, str]:
    """A row with the verdict of a rule, or without."""
    kernels = [file for file in commit.files if not _OTHERS.search(file)]
    verdict, row, by = "", "", ""
    if commit.short in named:
        (verdict, row), by = named[commit.short], "row"
    elif len(commit.parents) > 1:
        verdict, by = "none", "rule: a merge"
    elif not kernels:
        verdict, by = "none", "rule: tests, builds, other processors"
    elif all(_is_same(clone, commit, one) for one in kernels):
        verdict, by = "none", "rule: comments and spaces"
    shown = [Path(file).name for file in kernels or commit.files]
    listed = " ".join(shown[:4]) + (f" +{len(shown) - 4}" if len(shown) > 4 else "")
    values = (name, commit.day, commit.short, verdict, by, row, "", listed)
    return dict(zip(COLUMNS, values, strict=True))


def _is_same(clone: Path, commit: Commit, file: str) -> bool:
    """Whether a file has the code of before."""
    return _code(clone, commit.name, file) == _code(clone, f"{commit.name}^", file)


def _code(clone: Path, commit: str, file: str) -> str:
    """A file without comments, spaces and includes."""
    text = _git(clone, "show", f"{commit}:{file}")
    for pattern in (r"(?s)/\*.*?\*/", r"//[^\n]*", r"(?m)^\s*#\s*include[^\n]*", r"\s+"):
        text = re.sub(pattern, "", text)
    return text


def _git(clone: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(clone), *words], capture_output=True, check=False, timeout=600
    )
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
