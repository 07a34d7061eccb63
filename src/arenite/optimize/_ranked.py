"""Rules for operators that sort, multiply over axes or go through volumes.

Facts: LiteRT's ``kernels/topk_v2.cc`` (of equal values the first comes first), ``reduce.cc``,
``conv3d.cc`` (a filter is depth, height, width, channels in, channels out).
"""

from __future__ import annotations

import math

import numpy as np

from arenite.model import OptionsTable, TensorType, slot
from arenite.model.types import FLOAT32
from arenite.ops.shared.reduction import ReducerOptions
from arenite.optimize._functions import FLOATS
from arenite.optimize.parts import Parts

INT32, BOOL = TensorType.INT32, TensorType.BOOL
#: The most values that are found one after the other, and factors that are multiplied.
_MOST_ROUNDS = 64
#: The most comparisons of every value with every other one.
_MOST_PAIRS = 1 << 16
#: The most inputs that TFLM's CONCATENATION takes.
_MOST_JOINED = 10


class TopKOptions(OptionsTable, union=34):
    """``table TopKV2Options``."""


class Conv3DOptions(OptionsTable, union=106):
    """``table Conv3DOptions``."""

    padding: int = slot(0, "int8")
    stride_d: int = slot(1, "int32")
    stride_w: int = slot(2, "int32")
    stride_h: int = slot(3, "int32")
    fused_activation_function: int = slot(4, "int8")
    dilation_d_factor: int = slot(5, "int32", 1)
    dilation_w_factor: int = slot(6, "int32", 1)
    dilation_h_factor: int = slot(7, "int32", 1)


def top_k(parts: Parts) -> None:
    """The largest value again and again, or each value's rank; equal bits."""
    shape, count = parts.shape(0), parts.integer(1)
    parts.require(bool(shape) and 0 < count <= shape[-1], f"{count} of {shape} cannot be found")
    parts.settle((*shape[:-1], count))
    kind = parts.edit.tensors[parts.operator.outputs[1]].type
    parts.require(kind is INT32, f"its indices are {kind}")
    if parts.x.type is INT32 or count > _MOST_ROUNDS:
        values, indices = _by_rank(parts, shape, count)
    else:
        values, indices = _one_by_one(parts, shape, count)
    parts.give(values, 0)
    parts.give(indices, 1)


def _one_by_one(parts: Parts, shape: tuple[int, ...], count: int) -> tuple[int, int]:
    """A value that was found counts as the least: minus infinity, or less than any integer."""
    x, tall, rows = parts.input(0), (*shape[:-1], 1), shape[:-1]
    if parts.x.type is not FLOAT32:
        x = parts.run("CAST", x, shape=shape, kind=FLOAT32)
    last, axes = parts.value(np.int32(len(shape) - 1)), parts.told([len(shape) - 1])
    places, told = parts.value(np.arange(shape[-1], dtype=np.int32)), parts.told(tall)
    least = parts.value(np.float32(-np.inf))
    values, indices = list[int](), list[int]()
    for number in range(count):
        largest = parts.run("REDUCE_MAX", x, axes, shape=tall, kind=FLOAT32, keep_dims=True)
        place = parts.run("ARG_MAX", x, last, shape=rows, kind=INT32, output_type=INT32)
        place = parts.run("RESHAPE", place, told, shape=tall, kind=INT32)
        values.append(largest)
        indices.append(place)
        if number < count - 1:
            found = parts.run("EQUAL", places, place, shape=shape, kind=BOOL)
            x = parts.run("SELECT_V2", found, least, x, shape=shape, kind=FLOAT32)
    parts.why = "equal bits, unless values are minus infinity or no numbers"
    found = _side_by_side(parts, values, rows, FLOAT32)
    found = found if parts.x.type is FLOAT32 else parts.run("CAST", found)
    return found, _side_by_side(parts, indices, rows, INT32)


def _side_by_side(parts: Parts, some: list[int], rows: tuple[int, ...], kind: TensorType) -> int:
    """Columns as one tensor, ten at a time."""
    while len(some) > 1:
        groups = [some[at : at + _MOST_JOINED] for at in range(0, len(some), _MOST_JOINED)]
        some = [_columns(parts, group, rows, kind) for group in groups]
    return some[0]


def _columns(parts: Parts, some: list[int], rows: tuple[int, ...], kind: TensorType) -> int:
    if len(some) == 1:
        return some[0]
    shape = (*rows, sum(parts.edit.tensors[one].shape[-1] for one in some))
    return parts.run("CONCATENATION", *some, shape=shape, kind=kind, axis=len(rows))


def _by_rank(parts: Parts, shape: tuple[int, ...], count: int) -> tuple[int, int]:
    """A value's rank is how many are larger, or equal and before it."""
    x, length = parts.input(0), shape[-1]
    parts.require(math.prod(shape) * length <= _MOST_PAIRS, "it has too many values")
    parts.require(parts.x.type in (INT32, FLOAT32), f"it is of {parts.x.type}")
    kind, rows = parts.x.type, shape[:-1]
    pairs, ranked = (*rows, length, length), (*rows, count, length)
    column, row = (
        parts.run("RESHAPE", x, parts.told(one), shape=one, kind=kind)
        for one in ((*rows, length, 1), (*rows, 1, length))
    )

    def pair(name: str, *inputs: int) -> int:
        return parts.run(name, *inputs, shape=pairs, kind=BOOL)

    before = parts.value(np.tril(np.ones((length, length), bool), -1))
    tied = pair("LOGICAL_AND", pair("EQUAL", row, column), before)
    ahead = pair("LOGICAL_OR", pair("GREATER", row, column), tied)
    numbers = parts.run("CAST", ahead, shape=pairs, kind=FLOAT32)
    axes = parts.told([len(pairs) - 1])
    rank = parts.run("SUM", numbers, axes, shape=(*rows, length), kind=FLOAT32, keep_dims=False)
    told = parts.told((*rows, 1, length))
    rank = parts.run("RESHAPE", rank, told, shape=(*rows, 1, length), kind=FLOAT32)
    wanted = parts.value(np.arange(count, dtype=np.float32)[:, None])
    is_it = parts.run("EQUAL", rank, wanted, shape=ranked, kind=BOOL)
    ones = parts.run("CAST", is_it, shape=ranked, kind=FLOAT32)
    last = parts.value(np.int32(len(ranked) - 1))
    indices = parts.run("ARG_MAX", ones, last, shape=(*rows, count), kind=INT32, output_type=INT32)
    parts.require(len(rows) == 0 or math.prod(rows) == 1, "it has several rows")
    flat = parts.run("RESHAPE", x, parts.told([length]), shape=(length,), kind=kind)
    return parts.run("GATHER", flat, indices, shape=(*rows, count), axis=0), indices


def product(parts: Parts) -> None:
    """One factor after the other; floats in LiteRT's order, so with equal bits."""
    shape, keep = parts.shape(0), parts.options(ReducerOptions).keep_dims
    axes = {one % max(1, len(shape)) for one in parts.integers(1)}
    parts.require(len(axes) == 1 and bool(shape), "it is over several axes")
    (axis,) = axes
    parts.require(0 < shape[axis] <= _MOST_ROUNDS, "it has too many factors")
    kinds = (FLOAT32, INT32)
    parts.require(parts.x.type in kinds, f"it is of {parts.x.type}")
    thin = tuple(1 if one == axis else size for one, size in enumerate(shape))
    size, made = parts.told(thin), -1
    for number in range(shape[axis]):
        begin = parts.told([number if one == axis else 0 for one in range(len(shape))])
        factor = parts.run("SLICE", parts.input(0), begin, size, shape=thin)
        made = factor if made < 0 else parts.run("MUL", made, factor, shape=thin)
    if not keep:
        parts.run("RESHAPE", made, parts.told(parts.y.shape))


def conv_3d(parts: Parts) -> None:
    """CONV_2D whose channels are those of all layers that a filter covers."""
    o, x, filters = parts.options(Conv3DOptions), parts.shape(0), parts.constant(1)
    parts.require(parts.x.type is FLOAT32 and len(x) == 5 and filters.ndim == 5, "it has no volume")
    parts.require(x[0] == 1, "it has a batch")
    depth, height, width, inside, outside = filters.shape
    parts.require(inside == x[4], "its channels are in groups")
    step, far = o.stride_d, o.dilation_d_factor
    parts.require(step > 0 and far > 0 and 0 < depth <= _MOST_JOINED, "it is too deep")
    reach = (depth - 1) * far + 1
    layers = -(-x[1] // step) if o.padding == 0 else (x[1] - reach) // step + 1
    parts.require(layers == parts.y.shape[1], "the file says another shape")
    before = max(0, (layers - 1) * step + reach - x[1]) // 2 if o.padding == 0 else 0
    stacked = _stacked(parts, x, (layers, step, far, depth), before)
    flat = np.moveaxis(filters, (4, 1, 2, 0, 3), (0, 1, 2, 3, 4))
    weights = parts.value(flat.reshape(outside, height, width, depth * inside))
    bias = parts.operator.inputs[2] if len(parts.operator.inputs) > 2 else -1
    made = parts.run(
        "CONV_2D",
        stacked,
        weights,
        bias,
        shape=parts.y.shape[1:],
        padding=o.padding,
        stride_h=o.stride_h,
        stride_w=o.stride_w,
        dilation_h_factor=o.dilation_h_factor,
        dilation_w_factor=o.dilation_w_factor,
        fused_activation_function=o.fused_activation_function,
    )
    parts.run("RESHAPE", made, parts.told(parts.y.shape))
    parts.rounds(FLOATS)


def _stacked(parts: Parts, x: tuple[int, ...], how: tuple[int, int, int, int], before: int) -> int:
    """Layers of the input that a filter sees, as channels, for every layer of the output."""
    layers, step, far, depth = how
    rest = x[2:]
    made = parts.run("RESHAPE", parts.input(0), parts.told(x[1:]), shape=x[1:])
    needed = (layers - 1) * step + (depth - 1) * far + 1
    after = max(0, needed - x[1] - before)
    if before or after:
        pads = parts.told([[before, after], [0, 0], [0, 0], [0, 0]])
        made = parts.run("PAD", made, pads, shape=(x[1] + before + after, *rest))
    seen = []
    for number in range(depth):
        ends = (number * far, number * far + (layers - 1) * step + 1)
        bounds = [
            parts.told(one) for one in ([ends[0], 0, 0, 0], [ends[1], *rest], [step, 1, 1, 1])
        ]
        seen.append(parts.run("STRIDED_SLICE", made, *bounds, shape=(layers, *rest)))
    if len(seen) == 1:
        return seen[0]
    shape = (layers, *rest[:2], rest[2] * depth)
    return parts.run("CONCATENATION", *seen, shape=shape, axis=3)
