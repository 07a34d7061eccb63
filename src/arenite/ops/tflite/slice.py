"""SLICE: ``size`` elements from ``begin`` on, along every axis; -1 is all to the axis's end.

Undefined in TFLM: a slice that leaves the input is read, and one that the output has no room for
is written, beside the tensors; what a slice does not fill stays as it was. All these are refused,
for begin and size that are fed when the node runs.

Facts: TFLM ``micro/kernels/slice.cc`` and ``reference/slice.h``.
"""

from __future__ import annotations

from typing import Any

from arenite.model import OptionsTable
from arenite.model.types import BOOL, FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import MOVES, Array, Context, Node, Registration, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor


class SliceOptions(OptionsTable, union=48):
    """``table SliceOptions``, which is empty."""


def a_number_per_axis(node: c.NodeView) -> bool:
    """Begin and size (inputs 1 and 2) have one type and one number per axis of input 0."""
    begin, size, rank = node.input(1), node.input(2), len(node.input(0).shape)
    return begin.type is size.type and begin.size >= rank and size.size >= rank


def prepare(context: Context, node: Node) -> None:
    """The output's shape; the model's, where begin or size are fed."""
    inp, begin, size = (input_tensor(context, node, i) for i in range(3))
    output = output_tensor(context, node)
    if begin.data is not None and size.data is not None:
        picks = taken(context, inp.shape, begin.data, size.data)
        context.resize_tensor(output.index, tuple(p.stop - p.start for p in picks))


def taken(context: Context, shape: tuple[int, ...], begin: Array, size: Array) -> list[slice]:
    """Part that is taken of every axis."""
    picks = []
    numbers = zip(begin.reshape(-1).tolist(), size.reshape(-1).tolist(), strict=False)
    for axis, (n, (first, count)) in enumerate(zip(shape, numbers, strict=False)):
        stop = n if count == -1 else first + count
        if not 0 <= first <= stop <= n:
            context.report_error(
                f"axis {axis} has {n} elements, got a slice that begins at {first}, of size {count}"
            )
        picks.append(slice(first, stop))
    return picks


def invoke(context: Context, node: Node) -> None:
    """``out = x[begin : begin + size]``."""
    x, begin, size = (input_array(context, node, i) for i in range(3))
    out = output_array(context, node)
    box: tuple[Any, ...] = (*taken(context, x.shape, begin, size), ...)  # an array, of any rank
    picked = x[box]
    if picked.size != out.size:
        context.report_error(f"a slice of shape {list(picked.shape)} does not fill {out.shape}")
    out[...] = picked.reshape(out.shape)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=SliceOptions,
    constraints=(
        *c.counts(3, 1),
        c.input_types(0, FLOAT32, INT8, INT16, INT32, BOOL),
        c.same_type(),
        c.rank_at_most(0, 5),
        c.input_types(1, INT32, INT64),
        a_number_per_axis,
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES
