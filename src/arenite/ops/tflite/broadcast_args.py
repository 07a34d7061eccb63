"""BROADCAST_ARGS: the shape to which two shapes broadcast.

Facts: TFLM ``micro/kernels/broadcast_args.cc`` and ``reference/broadcast_args.h``. TFLM keeps 32
bits of int64 sizes, and ends the program where two sizes do not go together.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import INT32, INT64
from arenite.ops import Array, Context, Node, Registration
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor


def prepare(context: Context, node: Node) -> None:
    """The output has as many sizes as the longer input."""
    lengths = [input_tensor(context, node, number).shape[0] for number in range(2)]
    context.resize_tensor(output_tensor(context, node).index, (max(lengths),))


def invoke(context: Context, node: Node) -> None:
    """Of two sizes the one that is not 1, or the one that both are."""
    out = output_array(context, node)
    a, b = (padded(input_array(context, node, number), out.size) for number in range(2))
    clash = (a != 1) & (b != 1) & (a != b)
    if clash.any():
        axis = int(clash.argmax())
        context.report_error(
            f"expected shapes that broadcast, got sizes {a[axis]} and {b[axis]} on axis {axis}"
        )
    out[...] = np.where(a == 1, b, a)


def padded(shape: Array, length: int) -> Array:
    """A shape as int32, with sizes of 1 in front."""
    ones = np.ones(length - shape.size, np.int32)
    return np.concatenate([ones, shape.astype(np.int32)])


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, INT32, INT64),
        c.same_type(),
        c.same_type(1),
        c.rank(0, 1),
        c.rank(1, 1),
    ),
)
