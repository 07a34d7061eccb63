"""Operators that look elements up, repeat them, or choose between them.

Facts: MNN 3.6.1 ``shape/ShapeGatherV2.cpp``, ``ShapeGatherND.cpp``, ``ShapeTile.cpp``,
``ShapeBroadcastTo.cpp``, ``ShapeSelect.cpp``, ``ShapeOneHot.cpp``,
``geometry/GeometryCumSum.cpp``.
"""

from __future__ import annotations

from math import prod

import numpy as np

from arenite.mnn.file.enums import OpType
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.graph_builder import GraphBuilder, Layout
from arenite.mnn.lowering.parts import Pick, part
from arenite.mnn.lowering.views import axis_of
from arenite.mnn.operators.cumulate import MnnCumulateOptions
from arenite.mnn.operators.gather_elements import MnnGatherElementsOptions
from arenite.mnn.operators.one_hot import MnnOneHotOptions
from arenite.mnn.operators.raster import MnnRasterOptions, Region
from arenite.model import TensorType
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.gather_nd import GatherNdOptions

_FLOAT, _INT = TensorType.FLOAT32, TensorType.INT32


def gather(g: GraphBuilder, op: Op) -> None:
    """Gather and GatherV2: slices along an axis."""
    x, indices = g.input(op, 0), g.input(op, 1)
    axis = op.main.get("axis", 0) if op.main_type == "Axis" else 0
    if len(op.inputs) > 2:
        axis = g.number(op, 2)
    axis = axis_of(g, op, axis, x.rank)
    y = g.output(op, (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x)
    if indices.constant is not None:
        picks = indices.constant
        n = x.shape[axis]
        if picks.size and not 0 <= int(picks.min()) <= int(picks.max()) < n:
            g.fail(op, f"expected indices from 0 to {n - 1}, got {picks.min()} to {picks.max()}")
        if x.constant is not None and g.folds(y, x, indices):
            y.constant = x.constant.take(picks, axis)
            return
        if picks.size == 1:
            starts = [int(picks.reshape(-1)[0]) if a == axis else 0 for a in range(x.rank)]
            sizes = [1 if a == axis else n for a, n in enumerate(x.shape)]
            part(g, x, y, Pick(starts, sizes, [1] * x.rank))
            return
    if x.type is not _FLOAT or indices.type is not _INT:
        g.fail(op, f"lookups in {x.type} with {indices.type} indices are not supported")
    layout = x.key.layout if indices.rank == 1 else Layout.PLAIN
    place = x.order(layout).index(axis)
    inputs = [g.tensor(x, layout), g.tensor(indices)]
    g.emit("GATHER", inputs, [g.new(y, layout)], GatherOptions(axis=place))


def gather_nd(g: GraphBuilder, op: Op) -> None:
    """GatherND: slices picked by index vectors."""
    x, indices = g.input(op, 0), g.input(op, 1)
    if op.main.get("axis", 0):
        g.fail(op, "batch dimensions are not supported", ".main.axis")
    depth = indices.shape[-1] if indices.rank else 0
    if not 1 <= depth <= min(x.rank, 5):
        g.fail(op, f"indices {list(indices.shape)} do not fit {list(x.shape)}")
    if x.type is not _FLOAT or indices.type is not _INT:
        g.fail(op, f"lookups in {x.type} with {indices.type} indices are not supported")
    y = g.output(op, (*indices.shape[:-1], *x.shape[depth:]), x)
    g.emit("GATHER_ND", [g.tensor(x), g.tensor(indices)], [g.new(y)], GatherNdOptions())


def gather_elements(g: GraphBuilder, op: Op) -> None:
    """GatherElements: an element along an axis for every index."""
    x, indices = g.input(op, 0), g.input(op, 1)
    axis = g.number(op, 2) if len(op.inputs) > 2 else op.main.get("axis", 0)
    axis = axis_of(g, op, axis, x.rank)
    fits = indices.rank == x.rank and indices.type is _INT
    if not fits or any(indices.shape[a] > x.shape[a] for a in range(x.rank) if a != axis):
        g.fail(op, f"indices {list(indices.shape)} do not fit {list(x.shape)}")
    y = g.output(op, indices.shape, x)
    inputs = [g.tensor(x), g.tensor(indices)]
    g.emit("MNN_GATHER_ELEMENTS", inputs, [g.new(y)], MnnGatherElementsOptions(axis))


def tile(g: GraphBuilder, op: Op) -> None:
    """Tile: several times along each axis."""
    x = g.input(op)
    multiples = [int(n) for n in g.known(op, 1).reshape(-1)]
    if len(multiples) != x.rank or min(multiples, default=0) < 0:
        g.fail(op, f"expected {x.rank} multiples of 0 or more, got {multiples}")
    y = g.output(op, [n * m for n, m in zip(x.shape, multiples, strict=True)], x)
    if x.constant is not None and g.folds(y, x):
        y.constant = np.tile(x.constant, multiples)
        return
    layout = x.key.layout
    ordered = np.array([multiples[axis] for axis in x.order(layout)], np.int32)
    inputs = [g.tensor(x, layout), g.constant(ordered, "multiples")]
    g.emit("MNN_TILE", inputs, [g.new(y, layout)])


def broadcast_to(g: GraphBuilder, op: Op) -> None:
    """BroadcastTo: the common shape of the input and a given one."""
    x = g.input(op)
    wanted = [int(n) for n in g.known(op, 1).reshape(-1)]
    try:
        shape = np.broadcast_shapes(x.shape, tuple(wanted))
    except ValueError:
        g.fail(op, f"{list(x.shape)} and {wanted} have no common shape")
    y = g.output(op, shape, x)
    if x.constant is not None and g.folds(y, x):
        y.constant = np.broadcast_to(x.constant, shape)
        return
    if shape == x.shape:
        g.share(y, x, Layout.PLAIN, Layout.PLAIN)
        return
    strides = dense((*(1,) * (y.rank - x.rank), *x.shape))
    full = (*(1,) * (y.rank - x.rank), *x.shape)
    region = Region.whole(shape, [0 if n == 1 else s for n, s in zip(full, strides, strict=True)])
    g.emit("MNN_RASTER", [g.tensor(x)], [g.new(y)], MnnRasterOptions((region,)))


def dense(shape: Shape) -> list[int]:
    """Strides of a contiguous array, in elements."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def select(g: GraphBuilder, op: Op) -> None:
    """Select: of two values the one that a condition says."""
    condition, a, b = (g.input(op, place) for place in range(3))
    try:
        shape = np.broadcast_shapes(condition.shape, a.shape, b.shape)
    except ValueError:
        g.fail(op, f"{condition.shape}, {a.shape} and {b.shape} have no common shape")
    if condition.type is not _INT or a.type is not b.type:
        g.fail(op, f"expected an int32 condition and one type, got {a.type} and {b.type}")
    y = g.output(op, shape, a)
    known = [v.constant for v in (condition, a, b) if v.constant is not None]
    if g.folds(y, condition, a, b):
        y.constant = np.where(known[0] != 0, known[1], known[2])
        return
    g.emit("MNN_SELECT", [g.tensor(value) for value in (condition, a, b)], [g.new(y)])


def one_hot(g: GraphBuilder, op: Op) -> None:
    """OneHot: a new axis with a value at the index and another one elsewhere."""
    indices, on, off = g.input(op, 0), g.input(op, 2), g.input(op, 3)
    depth = g.number(op, 1)
    axis = axis_of(g, op, op.main.get("axis", -1), indices.rank + 1)
    if depth < 0 or indices.type is not _INT or on.type is not off.type:
        g.fail(op, f"expected a depth of 0 or more and int32 indices, got {depth}, {indices.type}")
    shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
    y = g.output(op, shape, indices, type=on.type)
    inputs = [g.tensor(value) for value in (indices, on, off)]
    g.emit("MNN_ONE_HOT", inputs, [g.new(y)], MnnOneHotOptions(depth, axis))


def cumulate(g: GraphBuilder, op: Op) -> None:
    """CumSum and CumProd along an axis."""
    x = g.input(op)
    if op.type is OpType.CumSum:
        kind, axis = "SUM", g.number(op, 1)
    else:
        kind, axis = "PROD", op.main.get("axis", 0)
    axis = axis_of(g, op, axis, x.rank)
    layout = x.key.layout
    options = MnnCumulateOptions(
        kind,
        x.order(layout).index(axis),
        bool(op.main.get("reverse")),
        bool(op.main.get("exclusive")),
    )
    y = g.output(op, x.shape, x)
    g.emit("MNN_CUMULATE", [g.tensor(x, layout)], [g.new(y, layout)], options)


MAPPINGS = {
    OpType.Gather: gather,
    OpType.GatherV2: gather,
    OpType.GatherND: gather_nd,
    OpType.GatherElements: gather_elements,
    OpType.Tile: tile,
    OpType.BroadcastTo: broadcast_to,
    OpType.Select: select,
    OpType.OneHot: one_hot,
    OpType.CumSum: cumulate,
    OpType.CumProd: cumulate,
}
