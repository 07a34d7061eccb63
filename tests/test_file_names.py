"""Files that comments and pages name: ``convolution/gemm.h`` or ``memory/greedy.py`` exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("csrc", "src/arenite", "docs", "tools", "benchmarks", "cmake", "examples")
FILES = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.*"))
    if path.suffix in {".py", ".c", ".h", ".md"}
]
#: Every way to name a file by its last folders.
KNOWN = {"/".join(path.relative_to(ROOT).parts[-count:]) for path in FILES for count in range(2, 9)}
#: The first part of such a name: a folder of sources, but those that upstream has too.
OURS = {part for path in FILES for part in path.relative_to(ROOT).parts[:-1]} - {
    *("include", "kernels", "python", "signal", "src")
}
NAMED = re.compile(r"(?<![\w./<{-])([a-z]\w*(?:/\w+)*/[a-z0-9_]+\.(?:py|c|h))(?![\w(])")


def lost(text: str) -> Iterator[str]:
    """Names of files in our folders that are not there."""
    for name in NAMED.findall(text):
        if name.split("/")[0] in OURS and name not in KNOWN:
            yield name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_a_text_names_exist(path: Path) -> None:
    assert not list(lost(path.read_text(encoding="utf-8")))


def test_the_check_finds_a_file_that_is_gone() -> None:
    text = "see memory/greedy.py, memory/gone.py, simd/neon/gone.h and micro/kernels/add.cc"
    assert list(lost(text)) == ["memory/gone.py", "simd/neon/gone.h"]
