"""``tools/changed_tests.py`` finds the tests of what changed."""

import runpy
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "changed_tests.py"))
ALWAYS = "tests/test_architecture.py"
FILES = [
    "tests/test_target.py",
    "tests/a/test_b.py",
    "tests/a/test_c.py",
    "tests/a/test_if.py",
    "tests/a/deep/test_d.py",
    "tests/tools/test_t.py",
]


@pytest.fixture
def root(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("src/arenite/a/b.py", ["tests/a/test_b.py"]),
        ("src/arenite/a/_b.py", ["tests/a/test_b.py"]),
        ("src/arenite/a/if_.py", ["tests/a/test_if.py"]),
        ("src/arenite/target.py", ["tests/test_target.py"]),
        ("tests/a/test_b.py", ["tests/a/test_b.py"]),
        ("tests/a/deep/test_d.py", ["tests/a/deep/test_d.py"]),
        ("tools/t.py", ["tests/tools/test_t.py"]),
    ],
)
def test_a_file_has_the_test_of_its_name(root, changed, tests):
    assert TOOL["of_file"](changed, root) == tests


@pytest.mark.parametrize(
    "changed", ["src/arenite/a/other.py", "src/arenite/a/__init__.py", "tests/a/helper.py"]
)
def test_a_file_without_one_has_those_of_its_folder(root, changed):
    beside = ["tests/a/test_b.py", "tests/a/test_c.py", "tests/a/test_if.py"]
    assert TOOL["of_file"](changed, root) == beside


@pytest.mark.parametrize(
    "changed",
    ["README.md", "csrc/portable/relu.c", "src/arenite/none/x.py", "tests/worker.py", "tools/u.py"],
)
def test_where_nothing_is_found_the_architecture_is_left(root, changed):
    assert TOOL["of_files"]([changed], root) == [ALWAYS]


def test_a_test_that_is_gone_is_not_run(root):
    assert "tests/a/test_gone.py" not in TOOL["of_files"](["tests/a/test_gone.py"], root)


def test_each_file_is_named_once(root):
    changed = ["src/arenite/a/b.py", "tests/a/test_b.py"]
    assert TOOL["of_files"](changed, root) == ["tests/a/test_b.py", ALWAYS]


def test_a_commit_that_is_not_there_changes_nothing():
    assert TOOL["changed_since"]("no-such-commit") == []
