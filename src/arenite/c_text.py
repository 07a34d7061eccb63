"""C as text: files beside the modules, templates, numbers, arrays.

A template is C to compilers, formatters and editors as well: ``$name`` is an identifier to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from textwrap import dedent, wrap
from typing import Any

import numpy as np

from arenite.model import TensorType
from arenite.model.text import printable
from arenite.ops.context import Array

#: NumPy's types and C's.
C_TYPES = {
    np.dtype(np.int8): "int8_t",
    np.dtype(np.uint8): "uint8_t",
    np.dtype(np.int16): "int16_t",
    np.dtype(np.uint16): "uint16_t",
    np.dtype(np.int32): "int32_t",
    np.dtype(np.uint32): "uint32_t",
    np.dtype(np.int64): "int64_t",
    np.dtype(np.uint64): "uint64_t",
    np.dtype(np.float32): "float",
    np.dtype(np.bool_): "uint8_t",
}
_COLUMNS = 96
_TEMPLATE = re.compile(r"^// template: (\w+)\n(?://.*\n)*((?:(?!// template: ).*\n)*)", re.M)
#: What a file says of itself.
_ABOUT = re.compile(r"\A(?://.*\n)+\n")
#: What a formatter is told, for lines that stay as exported code has them.
_UNFORMATTED = re.compile(r"^ *// clang-format o(?:n|ff)\n", re.M)
#: A line's column and name; the same, ``$$``, a name, a name in braces.
_LINES = re.compile(r"^( *)\$(\w+)[;,]$", re.M)
_PLACE = re.compile(r"^( *)\$(\w+)[;,]$|\$(?:(\$)|(\w+)\$?|\{(\w+)\})", re.M)


def c_elements(type_: TensorType, size: int) -> tuple[str, int]:
    """C's type for so many elements, and their number; bytes where C has no such type."""
    kind = C_TYPES.get(type_.dtype)
    if kind is None or type_.dtype.itemsize * 8 != type_.bits:
        return "uint8_t", type_.nbytes(size)
    return kind, size


@cache
def text_file(module: str, name: str) -> str:
    """A file beside a module: ``text_file(__name__, "link.ld")``."""
    return files(module.rpartition(".")[0]).joinpath(name).read_text("utf-8")


def header(module: str, name: str) -> str:
    """A C file beside a module as exported code has it: without the ``//`` lines at its head."""
    return _ABOUT.sub("", _UNFORMATTED.sub("", text_file(module, name)))


@cache
def templates(module: str) -> Mapping[str, str]:
    """The templates in the C file beside a module, ``fourier.c`` beside ``fourier.py``, by name.

    A line ``// template: NAME`` begins one; ``//`` lines right behind it are about it.
    """
    text = text_file(module, module.rpartition(".")[2] + ".c")
    text = _UNFORMATTED.sub("", text)
    return {name: body.strip("\n") for name, body in _TEMPLATE.findall(text)}


def fill(text: str, /, **values: Any) -> str:
    r"""A template with ``$name`` replaced; a name without a value is a ``KeyError``.

    ``$name$`` where letters follow. ``$name;`` or ``$name,`` alone on a line stands for lines,
    each of which is moved to its column. Lines are moved to the left margin first.

    >>> fill("    x_$a$_y = $b;", a="u", b=-1)
    'x_u_y = -1;'
    >>> fill("if (a) {\n  $lines;\n}", lines="b();\nc();")
    'if (a) {\n  b();\n  c();\n}'
    """
    return _PLACE.sub(lambda match: _value(match, values), dedent(text).strip("\n"))


def _value(match: re.Match[str], values: Mapping[str, Any]) -> str:
    column, lines, escaped, name, braced = match.groups()
    if lines:
        return indented(str(values[lines]), len(column))
    return escaped or str(values[name or braced])


def with_lines(text: str, /, **lines: str) -> str:
    r"""A template with others in place of some of its ``$name;`` lines: all are filled at once.

    >>> with_lines("{\n  $step;\n}", step="x += $by;")
    '{\n  x += $by;\n}'
    """
    return _LINES.sub(
        lambda at: indented(lines[at[2]], len(at[1])) if at[2] in lines else at[0], text
    )


def indented(text: str, by: int = 2) -> str:
    """All lines but empty ones moved to the right."""
    return re.sub(r"^(?=.)", " " * by, text, flags=re.M)


def float_literal(value: float) -> str:
    """A float32 as C reads it back, to the last bit; C has no literal of infinities and NaN."""
    number = float(np.float32(value))
    if not np.isfinite(number):
        return f"ar_float_of_bits(0x{np.float32(value).view(np.uint32):08x}u)"
    text = f"{number:.9g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def literal(value: float) -> str:
    """A number of C: of an int of 32 bits, or a float32 where it has a fraction's type.

    >>> literal(-128), literal(-(2**31)), literal(6.0)
    ('-128', '(-2147483647 - 1)', '6.0f')
    """
    if isinstance(value, float):
        return float_literal(value)
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)


def _elements(values: Array) -> Iterable[str]:
    flat = values.reshape(-1)
    if flat.dtype == np.float32:
        return map(float_literal, flat.tolist())
    if flat.dtype == np.uint64:
        return (f"UINT64_C({value})" for value in flat.tolist())
    if flat.dtype == np.uint32:
        return (f"0x{value:08x}u" for value in flat.tolist())
    if flat.dtype in (np.int32, np.int64):
        return map(literal, flat.tolist())
    return (str(int(value)) for value in flat.tolist())


def are_literals(values: Array) -> bool:
    """Whether C has literals for all elements."""
    return values.dtype != np.float32 or bool(np.isfinite(values).all())


def initializer(values: Array) -> str:
    """The elements in braces, in lines."""
    lines, line = [], ""
    for element in _elements(values):
        if len(line) + len(element) + 2 > _COLUMNS:
            lines.append(line.rstrip())
            line = ""
        line += f"{element}, "
    lines.append(line.rstrip())
    return "{\n" + "\n".join(f"  {one}" for one in lines) + "\n}"


def call_of(function: str, arguments: Iterable[str]) -> str:
    """``function(arguments)``, in several lines where it is long."""
    text = f"{function}({', '.join(arguments)})"
    return "\n".join(wrap(text, _COLUMNS, subsequent_indent="    ", break_long_words=False))


def code_span(words: str) -> str:
    """A file's words as code in Markdown: between more backticks than there are in a row in them.

    >>> code_span("kws.tflite"), code_span("a`b")
    ('`kws.tflite`', '`` a`b ``')
    """
    text = printable(words)
    runs = re.findall("`+", text)
    if not runs:
        return f"`{text}`"
    fence = "`" * (max(map(len, runs)) + 1)
    return f"{fence} {text} {fence}"
