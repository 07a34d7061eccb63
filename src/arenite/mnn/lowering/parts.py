"""Operators that take tensors apart and put them together: slices, joints, borders.

Facts: MNN 3.6.1 ``shape/ShapeConcat.cpp``, ``ShapeSlice.cpp``, ``ShapeSliceTf.cpp``,
``ShapePack.cpp``, ``ShapeUnpack.cpp``, ``ShapePadding.cpp``, ``ShapeCrop.cpp``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arenite.mnn.file.enums import OpType
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.graph_builder import GraphBuilder, Layout, Value
from arenite.mnn.lowering.views import axis_of
from arenite.mnn.operators.raster import MnnRasterOptions, Region
from arenite.model import TensorType
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.pack import PackOptions
from arenite.ops.tflite.pad import PadOptions
from arenite.ops.tflite.padv2 import PadV2Options
from arenite.ops.tflite.strided_slice import StridedSliceOptions

#: Inputs that CONCATENATION takes at once.
_CONCATENATED = 10
_SLICED = (TensorType.FLOAT32, TensorType.INT8, TensorType.INT16, TensorType.INT32)


# -- joints -------------------------------------------------------------------------------


def concat(g: GraphBuilder, op: Op) -> None:
    """Concat along an axis."""
    values = g.inputs(op)
    if not values:
        g.fail(op, "expected inputs")
    axis = axis_of(g, op, op.main.get("axis", 0), values[0].rank)
    # Empty parts may have any shape.
    parts = [value for value in values if value.size] or values[:1]
    shapes = {(*v.shape[:axis], *v.shape[axis + 1 :]) for v in parts}
    if len(shapes) != 1 or len({v.rank for v in parts}) != 1 or len({v.type for v in parts}) != 1:
        found = [f"{v.type}{list(v.shape)}" for v in values]
        g.fail(op, f"cannot concatenate {', '.join(found)} along axis {axis}")
    first = parts[0]
    shape = (*first.shape[:axis], sum(v.shape[axis] for v in parts), *first.shape[axis + 1 :])
    y = g.output(op, shape, first)
    known = [value.constant for value in parts if value.constant is not None]
    if g.folds(y, *parts):
        y.constant = np.concatenate(known, axis)
        return
    layout = joint_layout(parts)
    place = y.order(layout).index(axis)
    indices = [g.tensor(value, layout) for value in parts]
    join(g, y, indices, place, layout)


def joint_layout(values: list[Value]) -> Layout:
    """The layout that most of the values' elements are in already."""
    weights = dict.fromkeys(Layout, 0)
    for value in values:
        if value.constant is None and all(v.has_two_layouts for v in values):
            weights[value.key.layout] += value.size
    return max(weights, key=lambda layout: weights[layout])


def join(g: GraphBuilder, y: Value, indices: list[int], axis: int, layout: Layout) -> None:
    """Concatenate tensors, as many at once as one operator takes."""
    shape = list(y.physical(layout))
    while len(indices) > _CONCATENATED:
        shape[axis] = sum(g.shapes[index][axis] for index in indices[:_CONCATENATED])
        part = g.temporary(tuple(shape), y.type, f"{y.name} (part)")
        g.emit("CONCATENATION", indices[:_CONCATENATED], [part], ConcatenationOptions(axis=axis))
        indices = [part, *indices[_CONCATENATED:]]
    target = g.new(y, layout)
    g.emit("CONCATENATION", indices, [target], ConcatenationOptions(axis=axis))


def pack(g: GraphBuilder, op: Op) -> None:
    """Pack: the inputs along a new axis."""
    values = g.inputs(op)
    if not values or len({v.shape for v in values}) != 1:
        g.fail(op, f"expected inputs of one shape, got {[list(v.shape) for v in values]}")
    first = values[0]
    axis = axis_of(g, op, op.main.get("axis", 0), first.rank + 1)
    y = g.output(op, (*first.shape[:axis], len(values), *first.shape[axis:]), first)
    known = [value.constant for value in values if value.constant is not None]
    if g.folds(y, *values):
        y.constant = np.stack(known, axis)
        return
    options = PackOptions(values_count=len(values), axis=axis)
    g.emit("PACK", [g.tensor(value) for value in values], [g.new(y)], options)


# -- parts --------------------------------------------------------------------------------


class Pick(NamedTuple):
    """Part that is taken along each axis of a value: ``start + i * step`` for ``i < size``."""

    starts: Sequence[int]
    sizes: Sequence[int]
    steps: Sequence[int]

    def ordered(self, order: Sequence[int]) -> Pick:
        """The same, with the axes in another order."""
        starts, sizes, steps = ([numbers[axis] for axis in order] for numbers in self)
        return Pick(starts, sizes, steps)

    @property
    def ends(self) -> list[int]:
        """One step behind the last element, in the direction of the steps."""
        rows = zip(self.starts, self.sizes, self.steps, strict=True)
        return [start + (n - 1) * step + (1 if step > 0 else -1) for start, n, step in rows]


def part(g: GraphBuilder, x: Value, y: Value, pick: Pick) -> None:
    """``y`` is what is picked of ``x``; it may have fewer or more dimensions of 1."""
    if tuple(pick.sizes) == x.shape and not any(pick.starts) and set(pick.steps) <= {1}:
        g.share(y, x, Layout.PLAIN, Layout.PLAIN)
        return
    if x.constant is not None and g.folds(y, x):
        ranges = (np.arange(n) * step + b for b, n, step in zip(*pick, strict=True))
        y.constant = x.constant[np.ix_(*ranges)].reshape(y.shape)
        return
    # Where dimensions go or come, the order of the others must be that of the output.
    is_alike = y.rank == x.rank and y.format is x.format
    layout = x.key.layout if is_alike else Layout.PLAIN
    index = g.tensor(x, layout)
    pick = pick.ordered(x.order(layout))
    target = g.new(y, layout, tuple(pick.sizes))
    if x.rank <= 4 and x.type in _SLICED and min(pick.sizes, default=1) > 0:
        strided_slice(g, index, target, pick)
    else:
        raster_slice(g, index, target, pick)


def strided_slice(g: GraphBuilder, index: int, target: int, pick: Pick) -> None:
    """A slice by TensorFlow Lite's operator."""
    ends = pick.ends
    # An end before the first element is said by a mask: as a number it would wrap.
    mask = sum(1 << axis for axis, end in enumerate(ends) if end < 0)
    numbers = (pick.starts, [max(end, 0) for end in ends], pick.steps)
    inputs = [index, *(g.constant(np.array(n, np.int32), "slice") for n in numbers)]
    g.emit("STRIDED_SLICE", inputs, [target], StridedSliceOptions(end_mask=mask))


def raster_slice(g: GraphBuilder, index: int, target: int, pick: Pick) -> None:
    """A slice of any type and number of dimensions."""
    dense = np.cumprod([1, *g.shapes[index][:0:-1]], dtype=np.int64)[::-1].tolist()
    offset = sum(start * stride for start, stride in zip(pick.starts, dense, strict=False))
    strides = [step * stride for step, stride in zip(pick.steps, dense, strict=False)]
    region = Region.whole(tuple(pick.sizes), strides, offset)
    g.emit("MNN_RASTER", [index], [target], MnnRasterOptions((region,)))


def cut(g: GraphBuilder, op: Op) -> None:
    """Slice: parts along an axis, at points or of sizes."""
    x = g.input(op)
    axis = axis_of(g, op, op.main.get("axis", 0), x.rank)
    sizes = part_sizes(g, op, x.shape[axis])
    start = 0
    for place, size in enumerate(sizes):
        if size < 0 or start + size > x.shape[axis]:
            g.fail(op, f"parts of {sizes} do not fit axis {axis} of {list(x.shape)}")
        shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        y = g.output(op, shape, x, place=place)
        starts = [start if a == axis else 0 for a in range(x.rank)]
        part(g, x, y, Pick(starts, shape, [1] * x.rank))
        start += size


CAFFE, TENSORFLOW, TORCH = 0, 1, 4


def part_sizes(g: GraphBuilder, op: Op, length: int) -> list[int]:
    """The lengths of the parts of Slice: its points are ends, sizes or a count, by their source."""
    outputs, points = len(op.outputs), op.main.get("slicePoints")
    source = op.main.get("sourceType", CAFFE)
    given = [] if points is None else [int(n) for n in points]
    if source == CAFFE:
        if len(given) < outputs - 1:
            g.fail(op, f"expected {outputs - 1} ends of parts, got {given}", ".main.slicePoints")
        ends = [*given[: max(outputs - 1, 0)], length]
        return [int(n) for n in np.diff([0, *ends])]
    if len(op.inputs) == 1 and len(given) <= 1:
        size = length // max(outputs, 1)
        if given and source == TORCH:
            size = given[0]
        elif given and source == TENSORFLOW and given[0] > 0:
            size = length // given[0]
        return [size] * outputs
    if len(op.inputs) > 1:
        given = [int(n) for n in g.known(op, 1).reshape(-1)]
    given = given[:outputs]
    if given.count(-1) > 1 or len(given) != outputs:
        g.fail(op, f"expected {outputs} sizes with one -1 at most, got {given}")
    rest = length - sum(n for n in given if n != -1)
    return [rest if n == -1 else n for n in given]


def slice_tf(g: GraphBuilder, op: Op) -> None:
    """SliceTf: a part from ``begin`` of ``size``, where -1 is the rest."""
    x = g.input(op)
    begin, size = ([int(n) for n in g.known(op, place).reshape(-1)] for place in (1, 2))
    if len(begin) != x.rank or len(size) != x.rank:
        g.fail(op, f"expected {x.rank} beginnings and sizes, got {begin} and {size}")
    starts = [b + n if b < 0 else b for b, n in zip(begin, x.shape, strict=True)]
    sizes = [n - b if s == -1 else s for s, b, n in zip(size, starts, x.shape, strict=True)]
    fits = all(
        0 <= b <= n and 0 <= s <= n - b for s, b, n in zip(sizes, starts, x.shape, strict=True)
    )
    if not fits:
        g.fail(op, f"{sizes} elements from {starts} do not lie in {list(x.shape)}")
    part(g, x, g.output(op, sizes, x), Pick(starts, sizes, [1] * x.rank))


def unpack(g: GraphBuilder, op: Op) -> None:
    """Unpack: the slices along an axis, without it."""
    x = g.input(op)
    axis = axis_of(g, op, op.main.get("axis", 0), x.rank)
    if len(op.outputs) > x.shape[axis]:
        g.fail(op, f"axis {axis} of {list(x.shape)} has no {len(op.outputs)} elements")
    for place in range(len(op.outputs)):
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        y = g.output(op, shape, x, place=place)
        starts = [place if a == axis else 0 for a in range(x.rank)]
        sizes = [1 if a == axis else n for a, n in enumerate(x.shape)]
        part(g, x, y, Pick(starts, sizes, [1] * x.rank))


def crop(g: GraphBuilder, op: Op) -> None:
    """Crop: to the size of the second input, from an offset, from an axis on."""
    x, like = g.input(op, 0), g.input(op, 1)
    axis = axis_of(g, op, op.main.get("axis", 2), x.rank)
    given = op.main.get("offset")
    offset = [] if given is None else [int(n) for n in given]
    if like.rank != x.rank:
        g.fail(op, f"expected two inputs of {x.rank} dimensions, got {like.rank}")
    if len(offset) == 1:
        offset *= x.rank - axis
    offset = [*[0] * axis, *offset, *[0] * x.rank][: x.rank]
    sizes = [*x.shape[:axis], *like.shape[axis:]]
    if any(o < 0 or o + s > n for o, s, n in zip(offset, sizes, x.shape, strict=True)):
        g.fail(op, f"{sizes} elements from {offset} do not lie in {list(x.shape)}")
    part(g, x, g.output(op, sizes, x), Pick(offset, sizes, [1] * x.rank))


# -- borders ------------------------------------------------------------------------------

CONSTANT, REFLECT, SYMMETRIC, EDGE = range(4)


def padding(g: GraphBuilder, op: Op) -> None:
    """Padding: with a constant, or with what lies at the border."""
    x, mode = g.input(op), op.main.get("mode", CONSTANT)
    pairs = g.known(op, 1).reshape(-1)[: 2 * x.rank].reshape(-1, 2).tolist()
    if len(pairs) != x.rank or min(min(pair) for pair in [*pairs, [0]]) < 0:
        g.fail(op, f"expected {x.rank} pairs of paddings of 0 or more, got {pairs}")
    shape = [n + before + behind for n, (before, behind) in zip(x.shape, pairs, strict=True)]
    if mode == CONSTANT:
        constant_padding(g, op, x, pairs, shape)
    elif mode in (REFLECT, SYMMETRIC, EDGE):
        mirrored(g, op, x, pairs, shape)
    else:
        g.fail(op, f"mode {mode} is not known", ".main.mode")


def constant_padding(
    g: GraphBuilder, op: Op, x: Value, pairs: list[list[int]], shape: list[int]
) -> None:
    """Padding with a number: zero, or the third input."""
    y = g.output(op, shape, x)
    if x.constant is not None and len(op.inputs) < 3 and g.folds(y, x):
        y.constant = np.pad(x.constant, pairs)
        return
    layout = x.key.layout
    if x.rank > 5 or x.type not in _SLICED:
        g.fail(op, f"{x.type}{list(x.shape)} cannot be padded; 5 dimensions can")
    table = np.array([pairs[axis] for axis in x.order(layout)], np.int32)
    inputs = [g.tensor(x, layout), g.constant(table, "paddings")]
    target = g.new(y, layout)
    if len(op.inputs) < 3:
        g.emit("PAD", inputs, [target], PadOptions())
        return
    g.emit("PADV2", [*inputs, g.tensor(g.input(op, 2))], [target], PadV2Options())


def mirrored(g: GraphBuilder, op: Op, x: Value, pairs: list[list[int]], shape: list[int]) -> None:
    """Padding with elements of the image: every output row is some input row."""
    y = g.output(op, shape, x)
    layout = x.key.layout
    order = x.order(layout)
    mode = op.main["mode"]
    pieces = [mirror(x.shape[axis], pairs[axis], mode) for axis in order]
    if not all(pieces):
        g.fail(op, f"paddings {pairs} are too large to mirror {list(x.shape)}")
    index = g.tensor(x, layout)
    regions = boxes(pieces, g.shapes[index], y.physical(layout))
    g.emit("MNN_RASTER", [index], [g.new(y, layout)], MnnRasterOptions(tuple(regions)))


Run = tuple[int, int, int, int]
"""``(target, source, step, length)``: elements along an axis that come from evenly spaced ones."""


def mirror(n: int, pair: list[int], mode: int) -> list[Run]:
    """The padding before an axis, the axis, the padding behind; empty if that is too much."""
    before, behind = pair
    skipped = 1 if mode == REFLECT else 0
    if n == 0 or (mode != EDGE and max(before, behind) > n - skipped):
        return []
    step, first, last = -1, before - 1 + skipped, n - 1 - skipped
    if mode == EDGE:
        step, first, last = 0, 0, n - 1
    runs = [(0, first, step, before), (before, 0, 1, n), (before + n, last, step, behind)]
    return [run for run in runs if run[3]]


def boxes(axes: list[list[Run]], source: Shape, target: Shape) -> list[Region]:
    """A region for every combination of runs along the axes."""
    dense = [np.cumprod([1, *shape[:0:-1]])[::-1].tolist() for shape in (source, target)]
    found = [Region(0, 0, (), 0, (), ())]
    for axis, pieces in enumerate(axes):
        found = [
            Region(
                0,
                box.offset + start * dense[0][axis],
                (*box.strides, step * dense[0][axis]),
                box.target_offset + to * dense[1][axis],
                (*box.target_strides, dense[1][axis]),
                (*box.size, length),
            )
            for box in found
            for to, start, step, length in pieces
        ]
    return found


MAPPINGS = {
    OpType.Concat: concat,
    OpType.Pack: pack,
    OpType.Slice: cut,
    OpType.SliceTf: slice_tf,
    OpType.Unpack: unpack,
    OpType.Crop: crop,
    OpType.Padding: padding,
}
