"""FILL: a tensor of which all elements are one value.

Facts: TFLM ``micro/kernels/fill.cc`` and ``reference/fill.h``.
"""

from __future__ import annotations

from arenite.model.types import FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import Context, Node, Registration, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor


def dims_have_elements(node: c.NodeView) -> bool:
    """The output's dimensions (input 0) are at least one."""
    return node.input(0).size > 0


def prepare(context: Context, node: Node) -> None:
    """The output's shape."""
    dims = input_tensor(context, node, 0)
    input_tensor(context, node, 1)
    output = output_tensor(context, node)
    assert dims.data is not None
    shape = tuple(int(size) for size in dims.data.reshape(-1))
    if min(shape) < 0:
        context.report_error(f"expected dimensions of at least 0, got {list(shape)}")
    context.resize_tensor(output.index, shape, "refused")


def invoke(context: Context, node: Node) -> None:
    """Write the value everywhere."""
    output_array(context, node)[...] = input_array(context, node, 1)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(2, 1),
        c.constant(0),
        c.rank(0, 1),
        c.input_types(0, INT8, INT16, INT32, INT64),
        dims_have_elements,
        c.rank(1, 0),
        c.input_types(1, FLOAT32, INT32, INT8),
        c.same_type(1),
    ),
)

TRAITS = Traits(exact_on_floats=True)
