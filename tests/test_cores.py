"""The table of processors, and that nothing else names one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import arenite.cores
from arenite.cores import CORES, DEFAULT, REPRESENTATIVES, devices, full_name, listed

PACKAGE = Path(arenite.cores.__file__).parent
NAMING = {PACKAGE / "cores.py"}
CORE = re.compile(r"(?i)cortex-m\d+|(?<![\w-])-m\d+\b|(?<!\w)esp32[csp]?\d?\b")


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """Strings that are no docstrings and no statements by themselves."""
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node


@pytest.mark.parametrize("path", sorted(set(PACKAGE.rglob("*.py")) - NAMING), ids=str)
def test_no_other_file_names_a_core(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [(node.lineno, node.value) for node in texts(tree) if CORE.search(node.value)] == []


@pytest.mark.parametrize("text", ["cortex-m4", "a Cortex-M33", "cortex-m0, -m3", "or -m7"])
def test_the_search_finds_names(text):
    assert CORE.search(text)


@pytest.mark.parametrize("text", ["cortex_m55_work", "a Cortex-M", "--margin", "kws-m4"])
def test_the_search_leaves_families_and_options_alone(text):
    assert not CORE.search(text)


def test_the_default_is_a_device():
    assert DEFAULT in [core.name for core in devices()]


def test_a_representative_has_each_set_of_instructions():
    kinds = [CORES[name].instructions for name in REPRESENTATIVES]
    of_cortex_m = {core.instructions for core in devices() if core.family == "cortex-m"}
    assert sorted(kinds) == sorted(of_cortex_m)


def test_what_is_emulated_is_compiled():
    assert all(core.clang for core in CORES.values() if core.is_emulated)


@pytest.mark.parametrize("name", ["M4", "m4f", "cortex-m4", "Cortex_M4F", " cortex m4 "])
def test_short_names_are_understood(name):
    assert full_name(name) == "cortex-m4"


def test_other_names_stay_as_they_are():
    assert full_name("host") == "host"


def test_names_are_listed_for_a_sentence():
    some = [CORES["cortex-m4"], CORES["cortex-m7"], CORES["cortex-m33"]]
    assert listed(some) == "cortex-m4, -m7 or -m33"
    assert listed(some[:1]) == "cortex-m4"


@pytest.mark.parametrize("name", ["esp32s3", "ESP32-S3", "esp32_s3"])
def test_chips_are_found_however_they_are_spelled(name):
    assert full_name(name) == "esp32s3"


@pytest.mark.parametrize("name", ["m0+", "Cortex-M0+", "cortex-m0plus", "m0plus"])
def test_a_plus_is_part_of_the_name(name):
    assert full_name(name) == "cortex-m0plus"
