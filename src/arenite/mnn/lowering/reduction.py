"""Operators along axes: reductions, softmax, positions of extremes.

Facts: MNN 3.6.1 ``shape/ShapeReduction.cpp``, ``geometry/GeometryReduce.cpp``,
``backend/cpu/CPUSoftmax.cpp``, ``shape/ShapeArgMax.cpp``, ``backend/cpu/CPUArgMax.cpp``,
``shape/ShapeTopKV2.cpp``.
"""

from __future__ import annotations

from math import prod

import numpy as np

from arenite.mnn.file.enums import Format, OpType, ReductionKind
from arenite.mnn.file.net import Op
from arenite.mnn.lowering.graph_builder import GraphBuilder, Key, Layout, Value
from arenite.mnn.lowering.views import axis_of
from arenite.mnn.operators.reduce import REDUCTIONS, MnnReduceOptions
from arenite.mnn.operators.top_k import MnnTopKOptions
from arenite.model import TensorType
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.arg_max import ArgMaxOptions
from arenite.ops.tflite.arg_min import ArgMinOptions
from arenite.ops.tflite.softmax import SoftmaxOptions

#: Reductions of floats that are operators of TensorFlow Lite.
REDUCERS = {ReductionKind.MEAN: "MEAN"}


def reduction(g: GraphBuilder, op: Op) -> None:
    """Reduction over some axes, or over all."""
    x, row = g.input(op), op.main
    kind = ReductionKind(row.get("operation", 0))
    axes = reduced_axes(g, op, x)
    keeps = bool(row.get("keepDims"))
    shape = [1 if a in axes else n for a, n in enumerate(x.shape) if keeps or a not in axes]
    y = g.output(op, shape, x)
    if x.constant is not None and x.size and g.folds(y, x):
        with np.errstate(all="ignore"):
            result = REDUCTIONS[kind.name](x.constant, axes)
        y.constant = result.astype(y.type.dtype).reshape(y.shape)
        return
    layout = reduced_layout(x, y, axes)
    order = x.order(layout)
    index = g.tensor(x, layout)
    places = tuple(sorted(order.index(axis) for axis in axes))
    rest = tuple(1 if a in axes else x.shape[a] for a in order if keeps or a not in axes)
    target = g.new(y, layout if keeps else Layout.PLAIN, rest)
    if kind in REDUCERS and x.type is TensorType.FLOAT32 and x.rank <= 4 and x.size:
        table = g.constant(np.array(places, np.int32), "axes")
        g.emit(REDUCERS[kind], [index, table], [target], ReducerOptions(keep_dims=keeps))
    else:
        g.emit("MNN_REDUCE", [index], [target], MnnReduceOptions(kind.name, places))


def reduced_axes(g: GraphBuilder, op: Op, x: Value) -> tuple[int, ...]:
    """The axes that go, from the parameters or the second input; all if there are none."""
    given = op.main.get("dim")
    if given is None and len(op.inputs) > 1:
        given = g.known(op, 1).reshape(-1)
    if given is None or not len(given):
        return tuple(range(x.rank))
    return tuple(sorted({axis_of(g, op, int(axis), x.rank) for axis in given}))


def reduced_layout(x: Value, y: Value, axes: tuple[int, ...]) -> Layout:
    """The layout to reduce in: that of ``x`` if what remains then has the order of ``y``."""
    layout = x.key.layout
    if y.rank == x.rank:
        return layout
    rest = [axis for axis in x.order(layout) if axis not in axes and x.shape[axis] != 1]
    return layout if rest == sorted(rest) else Layout.PLAIN


def softmax(g: GraphBuilder, op: Op) -> None:
    """Softmax along an axis."""
    x = g.input(op)
    axis = axis_of(g, op, op.main.get("axis", 1), x.rank)
    y = g.output(op, x.shape, x)
    n = x.shape[axis]
    if not x.size:
        g.fail(op, f"there is nothing along axis {axis} of {list(x.shape)}")
    options = SoftmaxOptions(beta=1.0)
    for layout in dict.fromkeys((x.key.layout, Layout.PLAIN, x.layout(Layout.LAST))):
        order = x.order(layout)
        if prod(x.shape[a] for a in order[order.index(axis) + 1 :]) != 1:
            continue
        held = g.bytes(x, Key(layout))
        shape = next((s for s in held.tensors if s[-1:] == (n,)), (x.size // n, n))
        target = g.new(y, layout, shape)
        g.emit("SOFTMAX", [g.shaped(held, shape, x.name)], [target], options)
        return
    order = x.order(x.key.layout)
    moved = (*(a for a in order if a != axis), axis)
    index = g.tensor(x, x.key.layout)
    turned = g.permuted(index, tuple(order.index(a) for a in moved), f"{x.name} (axis last)")
    source = turned.tensors[turned.shape]
    result = g.temporary(turned.shape, x.type, f"{y.name} (axis last)")
    g.emit("SOFTMAX", [source], [result], options)
    y.held[x.key] = g.permuted(result, tuple(moved.index(a) for a in order), y.name)


def arg_max(g: GraphBuilder, op: Op) -> None:
    """ArgMax and ArgMin as TensorFlow and ONNX have them: int32, without the axis."""
    x = g.input(op)
    if x.format is Format.NC4HW4:
        g.fail(op, "Caffe's ArgMax on NC4HW4 (topK, values) is not supported")
    axis = axis_of(g, op, op.main.get("axis", 0), x.rank)
    if not x.size:
        g.fail(op, f"there is nothing along axis {axis} of {list(x.shape)}")
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    y = g.output(op, shape, x, type=TensorType.INT32)
    layout = reduced_layout(x, y, (axis,))
    order = x.order(layout)
    target = g.new(y, Layout.PLAIN, tuple(x.shape[a] for a in order if a != axis))
    place = g.constant(np.array(order.index(axis), np.int32), "axis")
    is_max = op.type is OpType.ArgMax
    options = ArgMaxOptions(output_type=2) if is_max else ArgMinOptions(output_type=2)
    name = "ARG_MAX" if is_max else "ARG_MIN"
    g.emit(name, [g.tensor(x, layout), place], [target], options)


def top_k(g: GraphBuilder, op: Op) -> None:
    """TopKV2: values and positions."""
    x, count = g.input(op), g.number(op, 1)
    if len(op.outputs) != 2:
        g.fail(op, f"expected two outputs, got {len(op.outputs)}")
    axis = axis_of(g, op, g.number(op, 2) if len(op.inputs) > 2 else -1, x.rank)
    if not 0 < count <= x.shape[axis]:
        g.fail(op, f"there are no {count} elements along axis {axis} of {list(x.shape)}")
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    targets = [
        g.new(g.output(op, shape, x, place=0)),
        g.new(g.output(op, shape, x, place=1, type=TensorType.INT32)),
    ]
    options = MnnTopKOptions(count, axis, bool(op.main.get("largest", True)))
    g.emit("MNN_TOP_K", [g.tensor(x)], targets, options)


MAPPINGS = {
    OpType.Reduction: reduction,
    OpType.Softmax: softmax,
    OpType.ArgMax: arg_max,
    OpType.ArgMin: arg_max,
    OpType.TopKV2: top_k,
}
