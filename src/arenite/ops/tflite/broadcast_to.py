"""BROADCAST_TO: input 0 repeated along its dimensions of size 1, to the shape that input 1 says.

Undefined in TFLM: int4, of which nothing is copied. Here it is refused.

Facts: TFLM ``micro/kernels/broadcast_to.cc`` and ``reference/broadcast_to.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import BFLOAT16, INT32, INT64
from arenite.ops import MOVES, Context, Node, Registration, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.copy import WHOLE_BYTE_TYPES

MAX_RANK = 5


def shape_is_a_vector(node: c.NodeView) -> bool:
    """Input 1, the shape, has 1 dimension and at most 5 elements."""
    shape = node.input(1).shape
    return len(shape) == 1 and shape[0] <= MAX_RANK


def prepare(context: Context, node: Node) -> None:
    """The output's shape, which the input must broadcast to."""
    inp, shape = input_tensor(context, node, 0), input_tensor(context, node, 1)
    output = output_tensor(context, node)
    assert shape.data is not None
    wanted = tuple(int(size) for size in shape.data)
    behind = wanted[len(wanted) - len(inp.shape) :] if len(inp.shape) <= len(wanted) else None
    if behind is None or not all(m in (1, n) for m, n in zip(inp.shape, behind, strict=True)):
        context.report_error(f"input 0 of shape {list(inp.shape)} must broadcast to {list(wanted)}")
    if min(wanted, default=0) < 0:
        context.report_error(f"expected a shape without negative numbers, got {list(wanted)}")
    context.resize_tensor(output.index, wanted, "refused")


def invoke(context: Context, node: Node) -> None:
    """Repeat the input."""
    x, out = input_array(context, node, 0), output_array(context, node)
    shapes = [context.get_eval_tensor(index).shape for index in (node.inputs[0], node.outputs[0])]
    if context.get_eval_tensor(node.inputs[0]).type is BFLOAT16:
        x, out = x.view(np.uint16), out.view(np.uint16)
    out.reshape(shapes[1])[...] = np.broadcast_to(x.reshape(shapes[0]), shapes[1])


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, *WHOLE_BYTE_TYPES, BFLOAT16),
        c.same_type(),
        c.input_types(1, INT32, INT64),
        c.constant(1),
        shape_is_a_vector,
    ),
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES
