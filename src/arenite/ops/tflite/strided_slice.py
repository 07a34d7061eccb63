"""STRIDED_SLICE: what ``x[begin:end:stride]`` picks on every axis.

Facts: TFLM ``micro/kernels/strided_slice_common.cc``, ``internal/strided_slice_logic.h``
and ``reference/strided_slice.h``. Begin and end are clamped as Python clamps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from arenite.model import OptionsTable, slot
from arenite.model.types import BOOL, FLOAT32, INT8, INT16, INT32
from arenite.ops import MOVES, Array, Context, Node, Registration, Struct, TfLiteTensor, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util


class StridedSliceOptions(OptionsTable, union=32):
    """``table StridedSliceOptions``: bit ``i`` of a mask is about axis ``i``."""

    begin_mask: int = slot(0, "int32")
    end_mask: int = slot(1, "int32")
    ellipsis_mask: int = slot(2, "int32")
    new_axis_mask: int = slot(3, "int32")
    shrink_axis_mask: int = slot(4, "int32")
    offset: bool = slot(5, "bool", False)


@dataclass(frozen=True)
class StridedSliceParams:
    """Per axis of the input: the first element taken, how many, and the step between them."""

    start: tuple[int, ...]
    size: tuple[int, ...]
    stride: tuple[int, ...]


OP_DATA = Struct(
    "StridedSliceParams",
    ("int8", ("int32", 5)) * 3 + ("uint16",) * 5 + ("bool",),
)


class AxisSlice(NamedTuple):
    """Part that is taken of one axis."""

    start: int
    size: int
    stride: int


def a_number_per_axis(node: c.NodeView) -> bool:
    """Begin, end and strides (inputs 1 to 3) are int32, with one number per axis of input 0."""
    rank = len(node.input(0).shape)
    indices = [node.input(i) for i in (1, 2, 3)]
    return all(t.type is INT32 and t.size >= max(rank, 1) for t in indices)


def plain_masks(node: c.NodeView) -> bool:
    """The options ellipsis_mask, new_axis_mask and offset are not set: TFLM ignores them."""
    options: StridedSliceOptions = node.options
    return not (options.ellipsis_mask or options.new_axis_mask or options.offset)


def prepare(context: Context, node: Node) -> StridedSliceParams:
    """Take a part of every axis; the output lacks those that shrink."""
    inp = util.input_tensor(context, node, 0)
    begin, end, strides = (values(util.input_tensor(context, node, i)) for i in (1, 2, 3))
    output = util.output_tensor(context, node)
    options: StridedSliceOptions = node.options
    picks = []
    for axis, n in enumerate(inp.shape):
        first = None if options.begin_mask >> axis & 1 else begin[axis]
        last = None if options.end_mask >> axis & 1 else end[axis]
        if strides[axis] == 0:
            context.report_error(f"strides must not be 0, got {list(strides)}")
        if options.shrink_axis_mask >> axis & 1:
            picks.append(pick_one(context, axis, n, first, strides[axis]))
        else:
            taken = range(*slice(first, last, strides[axis]).indices(n))
            picks.append(AxisSlice(taken.start, len(taken), taken.step))
    kept = [p.size for axis, p in enumerate(picks) if not options.shrink_axis_mask >> axis & 1]
    context.resize_tensor(output.index, tuple(kept), "refused")
    return StridedSliceParams(
        start=tuple(p.start for p in picks),
        size=tuple(p.size for p in picks),
        stride=tuple(p.stride for p in picks),
    )


def values(tensor: TfLiteTensor) -> tuple[int, ...]:
    """The numbers of a constant."""
    assert tensor.data is not None
    return tuple(int(value) for value in tensor.data.reshape(-1))


def pick_one(context: Context, axis: int, n: int, index: int | None, stride: int) -> AxisSlice:
    """The one element of an axis that shrinks.

    An index below ``-n`` counts as 0, as in TFLM; where TFLM would leave the output
    unwritten (an index beyond the end, a negative stride), this is refused.
    """
    start = slice(index, None).indices(n)[0]
    if stride < 0 or start >= n:
        context.report_error(
            f"axis {axis} shrinks: it needs an index under {n} and a positive stride, "
            f"got index {index} and stride {stride}"
        )
    return AxisSlice(start, 1, 1)


def invoke(context: Context, node: Node) -> None:
    """Copy what is taken."""
    strided_slice(node.params, util.input_array(context, node, 0), util.output_array(context, node))


def strided_slice(params: StridedSliceParams, x: Array, out: Array) -> None:
    """``out = x[begin:end:stride]``."""
    if prod(params.size) == 0:
        return
    picked = x[tuple(map(as_slice, params.start, params.size, params.stride))]
    out.reshape(params.size)[...] = picked


def as_slice(start: int, size: int, stride: int) -> slice:
    """A slice that takes ``size`` elements, also down to the first one."""
    stop = start + size * stride
    return slice(start, stop if stop >= 0 else None, stride)


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=StridedSliceOptions,
    builtin_data=Struct("TfLiteStridedSliceParams", ("int",) * 5 + ("bool",)),
    constraints=(
        *c.counts(4, 1),
        c.input_types(0, FLOAT32, INT8, INT16, INT32, BOOL),
        c.same_type(),
        c.rank_at_most(0, 4),
        c.constant(1),
        c.constant(2),
        c.constant(3),
        a_number_per_axis,
        plain_masks,
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True, drawn="shape")

SCHEME = MOVES
