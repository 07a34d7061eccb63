"""Operators that move elements and compute nothing: RESHAPE and its kin, PAD, CONCATENATION.

Of any type, byte by byte. Facts: TFLM ``micro/kernels/reshape_common.cc``, ``reference/pad.h``,
``reference/concatenation.h``.
"""

from __future__ import annotations

from math import prod

import numpy as np

from arenite.c_text import fill, literal
from arenite.firmware.kernels.portable.elements import reads, writes
from arenite.firmware.kernels.portable.elementwise_loop import argument, filled
from arenite.firmware.kernels.portable.loops import nested, offset, strides_of
from arenite.firmware.kernels.portable.needs import require_elements, require_some
from arenite.firmware.network.kernel import Argument, Constant, Routine, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer, Value
from arenite.ops.shared.pad import PadParams

_COPY = "for (int32_t i = 0; i < $bytes; ++i) y[i] = x[i];"

_PAD = """\
for (int32_t n = 0; n < $elements; ++n) y[n] = $value;
$loops"""

_CONCATENATION = """\
for (int32_t i = 0; i < $outer; ++i) {
$parts
}"""
_PART = "  for (int32_t j = 0; j < $bytes; ++j) *y++ = *x$number++;"


def as_bytes(value: Value) -> Argument:
    """A tensor as it is passed to a kernel that moves bytes."""
    if not value.type.bits:
        raise UnsupportedError(f"expected elements of one size, got a tensor of {value.type}")
    if value.data is None:
        return value
    return Constant("values", filled(np.ascontiguousarray(value.data).reshape(-1).view(np.int8)))


def same_bytes(layer: AnyLayer) -> Work:
    """The output is the input, with other dimensions."""
    require_elements(layer)
    x = layer.input(0)
    if x.nbytes != layer.output.nbytes:
        raise UnsupportedError(f"expected as many bytes as the input's {x.nbytes}")
    if not (x.is_constant or x.is_variable):
        return Work(None, (x, layer.output), in_place=(0,))
    routine = Routine(
        "copy",
        ("const int8_t *x", "int8_t *y"),
        fill(_COPY, bytes=x.nbytes),
        about=str(layer),
    )
    return Work(routine, (as_bytes(x), layer.output))


def pad(layer: Layer[PadParams]) -> Work:
    """A border of zero points, or of the value that input 2 says."""
    require_some(layer.input(0), layer.output)
    p, x = layer.params, layer.input(0)
    # A negative padding cuts off nothing: elements fill what room there is in their order.
    inside = [stop - start for start, stop in zip(p.start, p.stop, strict=True)]
    around = layer.input(2) if len(layer.inputs) > 2 else None
    steps = strides_of(p.output_shape)
    start = sum(a * b for a, b in zip(p.start, steps, strict=True))
    to = [step if size > 1 else 0 for step, size in zip(steps, inside, strict=True)]
    text = fill(
        _PAD,
        elements=layer.output.size,
        value=literal(p.pad_value) if around is None else "*around",
        loops=nested(inside, f"y[{offset(to)} + {start}] = x[{offset(strides_of(inside))}];"),
    )
    parameters, arguments = [reads(x, "x")], [argument(x)]
    if around is not None:
        parameters.append(reads(around, "around"))
        arguments.append(argument(around))
    parameters.append(writes(layer.output, "y"))
    routine = Routine("pad", tuple(parameters), text, about=str(layer))
    return Work(routine, (*arguments, layer.output))


def concatenation(layer: AnyLayer) -> Work:
    """The inputs one behind the other along an axis."""
    require_some(layer.output)
    outer = _outer(layer)
    blocks = [layer.input(i).nbytes // outer for i in range(len(layer.inputs))]
    parts = [fill(_PART, bytes=block, number=number) for number, block in enumerate(blocks)]
    parameters = (*(f"const int8_t *x{number}" for number in range(len(blocks))), "int8_t *y")
    text = fill(_CONCATENATION, outer=outer, parts="\n".join(f"  {part}" for part in parts))
    arguments = [as_bytes(layer.input(i)) for i in range(len(blocks))]
    return Work(
        Routine("concatenation", parameters, text, about=str(layer)), (*arguments, layer.output)
    )


def _outer(layer: AnyLayer) -> int:
    """The number of blocks of every input, one after the others'."""
    result: Value = layer.output
    first = layer.input(0)
    axis = next(
        (i for i, (a, b) in enumerate(zip(first.shape, result.shape, strict=True)) if a != b), 0
    )
    return prod(result.shape[:axis])


KERNELS = {
    "RESHAPE": same_bytes,
    "SQUEEZE": same_bytes,
    "EXPAND_DIMS": same_bytes,
    "PAD": pad,
    "PADV2": pad,
    "CONCATENATION": concatenation,
}
