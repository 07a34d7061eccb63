"""``tools/house.py`` counts circles; the sources have none."""

import ast
import runpy
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "house.py"
HOUSE = runpy.run_path(str(TOOL))
PACKAGE = HOUSE["PACKAGE"]


@pytest.fixture(scope="module")
def graph():
    files = PACKAGE.rglob("*.py")
    return HOUSE["imports_of"]({f: ast.parse(f.read_text(encoding="utf-8")) for f in files})


def test_no_files_import_each_other(graph):
    assert HOUSE["circles"](graph) == []


def test_no_rooms_import_each_other(graph):
    assert HOUSE["mutual"](HOUSE["between_rooms"](graph)) == set()


def test_a_circle_of_files_is_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert HOUSE["circles"](graph) == [{"a", "b", "c"}]


def test_a_pair_of_rooms_is_found():
    graph = {
        "arenite.ops.registry": {"arenite.ops.shared.window"},
        "arenite.ops.shared.window": {"arenite.ops.context"},
        "arenite.target": {"arenite.cores"},
    }
    pairs = HOUSE["between_rooms"](graph)
    assert ("arenite.target", "arenite.cores") in pairs
    assert HOUSE["mutual"](pairs) == {("arenite.ops", "arenite.ops.shared")}


def test_imports_in_functions_count_and_of_other_packages_do_not():
    source = "import numpy\ndef f():\n  from arenite import cores\n"
    found = HOUSE["imports_of"]({PACKAGE / "target.py": ast.parse(source)})
    assert found["arenite.target"] == set()
    trees = {PACKAGE / "target.py": ast.parse(source), PACKAGE / "cores.py": ast.parse("")}
    assert HOUSE["imports_of"](trees)["arenite.target"] == {"arenite.cores"}
