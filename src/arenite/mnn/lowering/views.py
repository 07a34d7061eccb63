"""Operators that give the same elements another shape, or another order.

Facts: MNN 3.6.1 ``shape/ShapeReshape.cpp``, ``ShapeSqueeze.cpp``, ``ShapeExpandDims.cpp``,
``ShapePermute.cpp``, ``ShapeTranspose.cpp``, ``ShapeTensorConvert.cpp``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from arenite.mnn.file.enums import Format, OpType
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.graph_builder import GraphBuilder, Key, Layout, Value

# -- the same elements under another shape ------------------------------------------------


def same(g: GraphBuilder, op: Op) -> None:
    """Identity."""
    x = g.input(op)
    y = g.output(op, x.shape, x)
    y.constant, y.held = x.constant, x.held


def renamed(
    g: GraphBuilder, op: Op, x: Value, shape: Sequence[int], layout: Layout = Layout.PLAIN
) -> None:
    """An output with the elements of ``x`` in their order in ``layout``."""
    y = g.output(op, shape, x)
    if y.size != x.size:
        g.fail(op, f"{list(x.shape)} has {x.size} elements, {list(shape)} has {y.size}")
    g.share(y, x, layout, layout)


def reshape(g: GraphBuilder, op: Op) -> None:
    """Reshape: a shape with zeros that keep a dimension, and one -1 that takes the rest.

    Packed data whose operator thinks in NHWC keep the order of NHWC, before and after
    (``geometry/GeometryReshape.cpp``).
    """
    x = g.input(op)
    keeps_zeros = True
    is_last = x.format is Format.NC4HW4 and op.main.get("dimType", Format.NCHW) == Format.NHWC
    if len(op.inputs) > 1:
        dims = [int(n) for n in g.known(op, 1).reshape(-1)]
        keeps_zeros = g.input(op, 1).format is not Format.NHWC
        if is_last and len(dims) == 4:
            dims = [dims[0], dims[3], dims[1], dims[2]]
    else:
        given = op.main.get("dims")
        dims = [] if given is None else given.tolist()
    layout = Layout.LAST if is_last else Layout.PLAIN
    renamed(g, op, x, resolved(g, op, x, dims, keeps_zeros), layout)


def resolved(g: GraphBuilder, op: Op, x: Value, dims: list[int], keeps_zeros: bool) -> list[int]:
    """``dims`` with zeros and the -1 replaced."""
    if keeps_zeros:
        if any(n == 0 and axis >= x.rank for axis, n in enumerate(dims)):
            g.fail(op, f"{dims} keeps dimensions that {list(x.shape)} does not have")
        dims = [x.shape[axis] if n == 0 else n for axis, n in enumerate(dims)]
    if dims.count(-1) > 1 or min(dims, default=0) < -1:
        g.fail(op, f"expected dimensions of 0 or more and one -1 at most, got {dims}")
    known = prod(n for n in dims if n != -1)
    return [(x.size // known if known else 0) if n == -1 else n for n in dims]


def flatten(g: GraphBuilder, op: Op) -> None:
    """Flatten: one dimension from ``axis`` to ``endAxis``, or two in all."""
    x = g.input(op)
    start, end = (n + x.rank if n < 0 else n for n in (op.main["axis"], op.main["endAxis"]))
    if not 0 <= start <= x.rank or not 0 <= end < max(x.rank, 1):
        g.fail(op, f"axes {start} to {end} of {list(x.shape)} do not exist", ".main")
    if end == 0:
        shape: Shape = (prod(x.shape[:start]), prod(x.shape[start:]))
    else:
        shape = (*x.shape[:start], prod(x.shape[start : end + 1]), *x.shape[end + 1 :])
    renamed(g, op, x, shape)


def squeeze(g: GraphBuilder, op: Op) -> None:
    """Squeeze: without some dimensions of 1, or without all."""
    x, axes = g.input(op), listed_axes(g, op)
    gone = {axis_of(g, op, axis, x.rank) for axis in axes}
    gone = gone or {axis for axis, n in enumerate(x.shape) if n == 1}
    if any(x.shape[axis] != 1 for axis in gone):
        g.fail(op, f"axes {sorted(gone)} of {list(x.shape)} are not all 1")
    renamed(g, op, x, [n for axis, n in enumerate(x.shape) if axis not in gone])


def unsqueeze(g: GraphBuilder, op: Op) -> None:
    """Unsqueeze: with some more dimensions of 1."""
    x, axes = g.input(op), listed_axes(g, op)
    rank = x.rank + len(axes)
    new = {axis_of(g, op, axis, rank) for axis in axes}
    rest = iter(x.shape)
    renamed(g, op, x, [1 if axis in new else next(rest, 1) for axis in range(rank)])


def listed_axes(g: GraphBuilder, op: Op) -> list[int]:
    """The axes of Squeeze and Unsqueeze, from the parameters or the second input."""
    given = op.main.get("squeezeDims")
    if given is not None:
        return [int(axis) for axis in given]
    return [int(axis) for axis in g.known(op, 1).reshape(-1)] if len(op.inputs) > 1 else []


def expand_dims(g: GraphBuilder, op: Op) -> None:
    """ExpandDims: with one more dimension of 1."""
    x = g.input(op)
    axis = g.number(op, 1) if len(op.inputs) > 1 else op.main.get("axis", 0)
    axis = axis_of(g, op, axis, x.rank + 1)
    renamed(g, op, x, (*x.shape[:axis], 1, *x.shape[axis:]))


def axis_of(g: GraphBuilder, op: Op, axis: int, rank: int) -> int:
    """An axis counted from the front."""
    if not -rank <= axis < rank:
        g.fail(op, f"expected an axis from {-rank} to {rank - 1}, got {axis}")
    return axis % rank


# -- other orders -------------------------------------------------------------------------


def convert(g: GraphBuilder, op: Op) -> None:
    """ConvertTensor: another format, which moves nothing until somebody asks for it."""
    x, code = g.input(op), op.main.get("dest", -1)
    if code not in (Format.NCHW, Format.NHWC, Format.NC4HW4):
        g.fail(op, f"data format {code} is not supported", ".main.dest")
    target = Format(code)
    was_last, is_last = x.format is Format.NHWC, target is Format.NHWC
    shape = x.shape
    if x.rank > 2 and was_last and not is_last:
        shape = (shape[0], shape[-1], *shape[1:-1])
    elif x.rank > 2 and is_last and not was_last:
        shape = (shape[0], *shape[2:], shape[1])
    y = g.output(op, shape, x, format=target)
    if was_last == is_last or x.rank <= 2:
        y.constant, y.held = x.constant, x.held
    else:
        g.share(y, x, Layout.LAST, Layout.LAST)


def permute(g: GraphBuilder, op: Op) -> None:
    """Permute and Transpose: the axes in another order."""
    x = g.input(op)
    if op.type is OpType.Transpose:
        dims = [int(axis) for axis in g.known(op, 1).reshape(-1)]
    else:
        given = op.main.get("dims")
        dims = list(range(x.rank))[::-1] if given is None else given.tolist()
    if sorted(dims) != list(range(x.rank)):
        g.fail(op, f"expected every axis of {list(x.shape)} once, got {dims}")
    y = g.output(op, [x.shape[axis] for axis in dims], x)
    if x.constant is not None and g.folds(y, x):
        y.constant = x.constant.transpose(dims)
        return
    # The order may be the one in which the elements are there already.
    for layout in (Layout.PLAIN, Layout.LAST):
        for source in tuple(x.held):
            wanted = tuple(dims[axis] for axis in y.order(layout))
            if wanted == x.order(source.layout):
                y.held[Key(y.layout(layout), source.steps)] = x.held[source]
                return
    moved = [axis for axis in dims if x.shape[axis] != 1]
    if moved == sorted(moved):
        g.share(y, x, Layout.PLAIN, Layout.PLAIN)
        return
    key = x.first
    source_order = x.order(key.layout)
    perm = tuple(source_order.index(axis) for axis in dims)
    index = g.shaped(g.bytes(x, key), x.physical(key.layout), x.name)
    y.held[Key(Layout.PLAIN, key.steps)] = g.permuted(index, perm, y.name)


MAPPINGS = {
    OpType.Identity: same,
    OpType.Reshape: reshape,
    OpType.Flatten: flatten,
    OpType.Squeeze: squeeze,
    OpType.Unsqueeze: unsqueeze,
    OpType.ExpandDims: expand_dims,
    OpType.ConvertTensor: convert,
    OpType.Permute: permute,
    OpType.Transpose: permute,
}
