"""docs/mnn.md compares every public name of MNN's session API with ``arenite.mnn``."""

import importlib.util
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import arenite.mnn

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mnn.md"
CLASSES = ("Interpreter", "Session", "Tensor", "OpInfo")
LIST_NAMES = """
import MNN
print("NAMES")
print(*(name for name in dir(MNN) if not name.startswith("_")))
for kind in %r:
    print(*(f"{kind}.{name}" for name in dir(getattr(MNN, kind)) if not name.startswith("__")))
"""


def rows() -> list[tuple[list[str], str, str]]:
    """Names, ``yes`` or ``no``, and the rest of every row under "Name by name"."""
    text = PAGE.read_text("utf-8").split("## Name by name")[1].split("## Time and memory")[0]
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            found.append((re.findall(r"`([\w.]+)`", cells[0]), cells[1], cells[2]))
    return found


def exists(name: str) -> bool:
    found = arenite.mnn
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is not None


def test_every_row_says_yes_or_why_not():
    assert rows()
    wrong = [names for names, here, _ in rows() if here not in ("yes", "no")]
    assert wrong == []
    assert [names for names, here, reason in rows() if here == "no" and not reason] == []


def test_what_the_table_says_is_so():
    wrong = [name for names, here, _ in rows() for name in names if exists(name) != (here == "yes")]
    assert wrong == []


def test_no_name_is_listed_twice():
    names = [name for names, _, _ in rows() for name in names]
    assert sorted(names) == sorted(set(names))


def test_every_public_name_of_ours_is_in_the_table():
    listed = {name for names, _, _ in rows() for name in names}
    ours = {name for name in arenite.mnn.__all__ if name != "HalideType"}
    assert ours - listed == {"Halide_Type_Int8"}  # named in its row as an addition


def test_the_page_s_times_are_those_of_the_last_benchmark():
    made = runpy.run_path(str(PAGE.parent / "make_mnn.py"))["page"]()
    assert PAGE.read_text("utf-8") == made, "run `make docs`"


@pytest.mark.skipif(importlib.util.find_spec("MNN") is None, reason="MNN is not installed")
def test_no_public_name_of_mnn_s_package_is_missing():
    command = [sys.executable, "-c", LIST_NAMES % (CLASSES,)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    theirs = set(done.stdout.split("NAMES")[1].split())
    listed = {name for names, _, _ in rows() for name in names}
    assert theirs - listed == set()
