"""Operators that move elements and compute nothing: RESHAPE and its kin, PAD, CONCATENATION.

Of any type, in words where they lie so. Facts: TFLM ``micro/kernels/reshape_common.cc``,
``reference/pad.h``, ``reference/concatenation.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from arenite.c_text import fill, literal
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.loops import nested, offset, strides_of
from arenite.firmware.kernels.portable.moving import Move, Write, in_c, move_of, moved
from arenite.firmware.kernels.portable.needs import require_elements, require_some
from arenite.firmware.network.kernel import UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer, Value
from arenite.ops.shared.pad import PadParams

_PAD = """\
for (int32_t n = 0; n < $elements; ++n) y[n] = $value;
$loops"""


def whole_bytes(value: Value) -> Value:
    """A tensor that is moved."""
    if not value.type.bits:
        raise UnsupportedError(f"expected elements of one size, got a tensor of {value.type}")
    return value


def box_of(
    x: Value,
    y: Value,
    axes: Sequence[tuple[int, int, int]],
    start: int = 0,
    place: int = 0,
) -> Move:
    """The move of a box of elements: how many on every axis, and their steps in both tensors."""
    size = x.type.bits // 8
    if x.type.bits % 8:
        raise UnsupportedError(f"expected elements of whole bytes, got a tensor of {x.type}")
    bytes_ = [(n, here * size, there * size) for n, here, there in axes]
    return move_of(x, y, [*bytes_, (size, 1, 1)], start * size, place * size)


def same_bytes(layer: AnyLayer, write: Write = in_c) -> Work:
    """The output is the input, with other dimensions."""
    require_elements(layer)
    x = whole_bytes(layer.input(0))
    if x.nbytes != layer.output.nbytes:
        raise UnsupportedError(f"expected as many bytes as the input's {x.nbytes}")
    if not (x.is_constant or x.is_variable):
        return Work(None, (x, layer.output), in_place=(0,))
    return moved(layer, [Move(x, layer.output, x.nbytes)], write)


def pad(layer: Layer[PadParams], write: Write = in_c) -> Work:
    """A border of zero points, or of the value that input 2 says."""
    require_some(layer.input(0), layer.output)
    p, x, y = layer.params, layer.input(0), layer.output
    # A negative padding cuts off nothing: elements fill what room there is in their order.
    inside = [stop - start for start, stop in zip(p.start, p.stop, strict=True)]
    around = layer.input(2) if len(layer.inputs) > 2 else None
    here, there = strides_of(inside), strides_of(p.output_shape)
    start = sum(a * b for a, b in zip(p.start, there, strict=True))
    border = np.array(p.pad_value).astype(y.type.dtype).tobytes()
    if around is None and len(set(border)) == 1 and min(inside) > 0:
        move = box_of(x, y, list(zip(inside, here, there, strict=True)), place=start)
        return moved(layer, [move], write, fill=border[0])
    to = [step if size > 1 else 0 for step, size in zip(there, inside, strict=True)]
    text = fill(
        _PAD,
        elements=layer.output.size,
        value=literal(p.pad_value) if around is None else "*around",
        loops=nested(inside, f"y[{offset(to)} + {start}] = x[{offset(here)}];"),
    )
    read = {"x": x} if around is None else {"x": x, "around": around}
    return work_of(layer, text, read, stem="pad")


def concatenation(layer: AnyLayer, write: Write = in_c) -> Work:
    """The inputs one behind the other along an axis."""
    y = whole_bytes(layer.output)
    require_some(y)
    parts = [whole_bytes(layer.input(i)) for i in range(len(layer.inputs))]
    return moved(layer, side_by_side(parts, y, _outer(layer)), write)


def side_by_side(parts: Sequence[Value], whole: Value, outer: int) -> list[Move]:
    """Blocks of every part in turn, ``outer`` times, as one tensor."""
    blocks = [part.nbytes // outer for part in parts]
    return [
        move_of(part, whole, [(outer, block, sum(blocks)), (block, 1, 1)], place=sum(blocks[:n]))
        for n, (part, block) in enumerate(zip(parts, blocks, strict=True))
        if block
    ]


def taken_apart(whole: Value, parts: Sequence[Value], outer: int) -> list[Move]:
    """The way back: blocks of one tensor to every part in turn, ``outer`` times."""
    blocks = [part.nbytes // outer for part in parts]
    return [
        move_of(whole, part, [(outer, sum(blocks), block), (block, 1, 1)], start=sum(blocks[:n]))
        for n, (part, block) in enumerate(zip(parts, blocks, strict=True))
        if block
    ]


def _outer(layer: AnyLayer) -> int:
    """The number of blocks of every input, one after the others'."""
    result: Value = layer.output
    first = layer.input(0)
    axis = next(
        (i for i, (a, b) in enumerate(zip(first.shape, result.shape, strict=True)) if a != b), 0
    )
    return prod(result.shape[:axis])


MOVERS = {
    "RESHAPE": same_bytes,
    "SQUEEZE": same_bytes,
    "EXPAND_DIMS": same_bytes,
    "PAD": pad,
    "PADV2": pad,
    "CONCATENATION": concatenation,
}
KERNELS = MOVERS
