"""Layers that make every element of the output of one element each of their inputs.

Inputs broadcast. A layer's statement names the elements ``$a``, ``$b`` and so on, and the output's
``$y``; bools are bytes, of which all but 0 are true.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from arenite.c_text import C_TYPES, fill, indented
from arenite.firmware.kernels.portable.loops import broadcast_strides, nested, offset, strides_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Argument, Constant, Routine, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Value
from arenite.model import TensorType
from arenite.ops.context import Array

_LETTERS = "abcd"
#: Floats that a turn of a loop takes: half of what an addition takes is the loop around it.
_FLOATS = 4


def each(
    layer: AnyLayer,
    statement: str,
    operands: Sequence[int],
    tables: Sequence[tuple[str, Constant]] = (),
    **values: Any,
) -> Work:
    """The work of a statement.

    ``operands`` are the numbers of the inputs that it reads, ``tables`` constants by name.
    """
    require_elements(layer)
    inputs, y = [layer.input(number) for number in operands], layer.output
    flat = all(x.size == y.size for x in inputs)
    shape, *shapes = [(one.size,) if flat else one.shape for one in (y, *inputs)]
    names = _LETTERS[: len(inputs)]
    places = {
        name: f"{name}[{offset(broadcast_strides(one, shape))}]"
        for name, one in zip(names, shapes, strict=True)
    }
    places["y"] = f"y[{offset(strides_of(shape))}]"
    text = fill(statement, **places, **values)
    several = flat and y.size >= _FLOATS and y.type is TensorType.FLOAT32 and "\n" not in statement
    loop = _several(y.size, text) if several else nested(shape, text)
    read = dict(zip(names, inputs, strict=True)) | dict(tables)
    in_place = tuple(n for n in operands if may_lie_over(y, layer.input(n)))
    return work_of(layer, loop.replace("- -", "+ "), read, in_place=in_place)


def _several(size: int, statement: str) -> str:
    """A statement about ``[i]`` for all elements, some in a turn, then those that are left."""

    def of(places: Sequence[str]) -> str:
        return "\n".join(statement.replace("[i]", f"[{place}]") for place in places)

    whole = size - size % _FLOATS
    turn = of(["i", *(f"i + {more}" for more in range(1, _FLOATS))])
    loop = f"for (int32_t i = 0; i < {whole}; i += {_FLOATS}) {{\n{indented(turn)}\n}}"
    if whole == _FLOATS:
        return of([str(place) for place in range(size)])
    return "\n".join([loop, *([of([str(n) for n in range(whole, size)])] if whole < size else [])])


def may_lie_over(y: Value, x: Value) -> bool:
    """Whether an output that is written in order may overwrite an input that is read in order.

    Each element is read before any byte of it is written. C promises that order for elements of
    one type, and for bytes.
    """
    if x.size != y.size or x.type.bits < y.type.bits:
        return False
    return c_type(x) == c_type(y) or y.type.bits == 8


def work_of(
    layer: AnyLayer,
    text: str,
    arrays: Mapping[str, Argument],
    *,
    writes: Collection[str] = ("y",),
    stem: str = "",
    parts: tuple[tuple[str, Routine], ...] = (),
    language: Literal["c", "s"] = "c",
    **more: Any,
) -> Work:
    """The work of a function about arrays, in the order of its parameters.

    Args:
        layer: What it does.
        text: The function's body.
        arrays: What it is called with, by name, or by declaration (``"int16_t *line"``) where the
            type is not that of elements. The layer's output is last, ``y``, where it is not here.
        writes: Names of outputs; a variable may be read by another name as well.
        stem: What the function is called; by default as the operator.
        parts: What it calls.
        language: What it is written in.
        more: Further attributes of the work.
    """
    written = {name for name in arrays if name.rpartition("*")[2] in writes}
    if layer.outputs and not written:
        arrays, written = {**arrays, "y": layer.output}, {"y"}
    parameters = tuple(
        name if "*" in name else _declared(name, one, is_written=name in written)
        for name, one in arrays.items()
    )
    arguments = (
        argument(one) if isinstance(one, Value) and name not in written else one
        for name, one in arrays.items()
    )
    stem = stem or layer.name.lower()
    routine = Routine(stem, parameters, text, parts, language, about=str(layer))
    return Work(routine, tuple(arguments), **more)


def _declared(name: str, array: Argument, *, is_written: bool) -> str:
    assert isinstance(array, Value | Constant)
    kind = C_TYPES[array.values.dtype] if isinstance(array, Constant) else c_type(array)
    return f"{kind} *{name}" if is_written else f"const {kind} *{name}"


def argument(value: Value) -> Argument:
    """A tensor as it is passed: a constant one lies in flash."""
    return value if value.data is None else Constant("values", filled(value.data))


def filled(data: Array) -> Array:
    """A constant, or a zero in place of one without elements: C has no such arrays."""
    return data if data.size else np.zeros(1, data.dtype)


def stored(value: Value) -> tuple[str, int]:
    """C's integer that moves a tensor's bytes, of any type, and how many an element takes."""
    bits = value.type.bits
    if bits % 8:
        raise UnsupportedError(f"expected elements of whole bytes, got a tensor of {value.type}")
    return (f"uint{bits}_t", 1) if bits <= 64 else ("uint64_t", bits // 64)


def stored_argument(value: Value) -> Argument:
    """A tensor as it is passed to a kernel that moves such integers."""
    if value.data is None:
        return value
    kind = f"<u{min(value.type.bits, 64) // 8}"
    return Constant("values", filled(np.ascontiguousarray(value.data).reshape(-1).view(kind)))


def c_type(value: Value) -> str:
    """A tensor's element in C."""
    kind = C_TYPES.get(value.type.dtype)
    if kind is None or value.type.bits != 8 * value.type.dtype.itemsize:
        raise UnsupportedError(f"there is no element of C for a tensor of {value.type}")
    return kind
