"""Exported C has no loop that runs once, and no comma in a loop's head."""

from __future__ import annotations

import re

import pytest

from arenite.firmware.kernels.portable import exported_names
from arenite.firmware.kernels.portable.plain_loops import plain_loops
from arenite.firmware.text.source import sources
from tests.firmware.bulk import exported_of


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("for (int32_t b = 0; b < 1; ++b) {\n  f();\n}", "f();"),
        ("for (int32_t n = 0; n < 3; n += 4) {\n  f();\n}", "f();"),
        ("for (int32_t n = 0; n < 5; n += 4) {\n  f();\n}", None),
        ("for (int32_t n = 0; n < m; ++n) {\n  f();\n}", None),
        ("for (int32_t n = 0; n < 1; ++n) {\n  if (a) continue;\n  f();\n}", None),
        ("for (int32_t n = 0; n < 1; ++n) {\n  y[n] = 0;\n}", "const int32_t n = 0;\ny[n] = 0;"),
        ("for (int32_t b = 0; b < 1; ++b, x += 9) {\n  f(x);\n}", "f(x);"),
        (
            "for (int32_t b = 0; b < 1; ++b, x += 9) {\n  f(x);\n}\ng(x);",
            "f(x);\nx += 9;\ng(x);",
        ),
        (
            "for (int32_t b = 0; b < 2; ++b, x += 9) {\n  f(x);\n}",
            "for (int32_t b = 0; b < 2; ++b) {\n  f(x);\n  x += 9;\n}",
        ),
        (
            "for (int32_t b = 0; b < 2; ++b, x += 9) {\n  if (a) continue;\n  f(x);\n}",
            None,
        ),
        (
            "const int a = 1;\nfor (int32_t b = 0; b < 1; ++b) {\n  const int a = 2;\n  f(a);\n}",
            "const int a = 1;\n{\n  const int a = 2;\n  f(a);\n}",
        ),
        (
            "for (int32_t b = 0; b < 2; ++b) {\n"
            "  for (int32_t c = 0; c < 1; ++c) {\n    f();\n  }\n}",
            "for (int32_t b = 0; b < 2; ++b) {\n  f();\n}",
        ),
        ("a = b * 1 + 0;", "a = b;"),
        ("a = b - 0.5f + 0x1 * 10;", None),
        ("a = b + 0 * c;", None),
    ],
)
def test_a_text_becomes_plain(text, plain):
    assert plain_loops(text) == (text if plain is None else plain)


def test_no_operator_s_kernel_has_such_loops():
    once = re.compile(r"for \(int32_t (\w+) = 0; \1 < 1; [^;]*\) \{")
    commas = re.compile(r"for \([^;]*;[^;]*;[^;()]*, [^;()]*\) \{")
    found = []
    for name in exported_names():
        for case in exported_of(name, 4, 2):
            text = sources(case.program())["kernels.c"]
            for loop in [*once.finditer(text), *commas.finditer(text)]:
                body = text[loop.end() :].split("\n}", 1)[0]
                if "continue;" not in body and "break;" not in body:
                    found.append((name, loop[0]))
    assert found == []
