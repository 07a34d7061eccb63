"""C as text."""

import re
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite import c_text
from arenite.c_text import call_of, fill, float_literal, initializer, with_lines
from arenite.firmware.network.names import identifier


def test_a_template_needs_all_of_its_names():
    with pytest.raises(KeyError, match="b"):
        fill("$a $b", a=1)


def test_a_line_of_a_template_stands_for_lines_at_its_column():
    text = with_lines("{\n  $first;\n  $x = 0;\n}", first="a();\n\nb($x);")
    assert fill(text, x="y") == "{\n  a();\n\n  b(y);\n  y = 0;\n}"


def test_what_replaces_a_name_is_not_looked_at_again():
    assert fill("$a, $b$c $$", a="$b", b="$$") == "$b, $$c $"


FOLDER = Path(c_text.__file__).parent
WITH_TEMPLATES = [p for p in FOLDER.rglob("*.c") if "// template: " in p.read_text("utf-8")]


@pytest.mark.parametrize("path", WITH_TEMPLATES, ids=lambda path: path.stem)
def test_every_template_of_a_file_has_a_name_of_its_own_that_its_module_takes(path):
    names = re.findall(r"^ *// template: (\w+)$", path.read_text("utf-8"), re.M)
    module = path.with_suffix(".py").read_text("utf-8")
    assert len(set(names)) == len(names) == len(re.findall(r"template", path.read_text("utf-8")))
    named = set(re.findall(r"[\"'](\w+)[\"']", module))
    assert [n for n in names if n not in named and not n.startswith("join_")] == []


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_comes_back_to_the_last_bit(number):
    text = float_literal(number)
    assert text.endswith("f")
    assert struct.pack("f", np.float32(text[:-1])) == struct.pack("f", number)


@pytest.mark.parametrize(
    ("number", "bits"), [("inf", "7f800000"), ("-inf", "ff800000"), ("nan", "7fc00000")]
)
def test_a_number_that_c_has_no_literal_for_is_its_bits(number, bits):
    assert float_literal(float(number)) == f"ar_float_of_bits(0x{bits}u)"


def test_the_lowest_integer_is_an_expression():
    assert initializer(np.array([-(2**31), 5], np.int32)) == "{\n  (-2147483647 - 1), 5,\n}"


def test_unsigned_words_are_hexadecimal():
    assert initializer(np.array([255], np.uint32)) == "{\n  0x000000ffu,\n}"


def test_long_arrays_and_calls_are_broken_into_lines():
    lines = initializer(np.arange(500, dtype=np.int32)).splitlines()
    lines += call_of("function", [f"argument_{i}" for i in range(50)]).splitlines()
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    ("name", "word"), [("kws", "kws"), ("A b.c", "a_b_c"), ("3x", "model_3x"), ("--", "model")]
)
def test_any_name_becomes_an_identifier(name, word):
    assert identifier(name) == word
