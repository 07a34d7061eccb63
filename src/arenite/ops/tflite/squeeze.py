"""SQUEEZE: a tensor without some or all of its dimensions of size 1.

Facts: TFLM ``micro/kernels/squeeze.cc``.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.ops import MOVES, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.shared import copy
from arenite.ops.shared.overlap import same_place


class SqueezeOptions(OptionsTable, union=30):
    """``table SqueezeOptions``; without ``squeeze_dims`` every dimension of 1 goes."""

    squeeze_dims: tuple[int, ...] | None = slot(0, "[int32]", None)


def at_most_8_dimensions(node: c.NodeView) -> bool:
    """Input 0 and the option squeeze_dims have at most 8 dimensions."""
    return len(node.input(0).shape) <= 8 and len(node.options.squeeze_dims or ()) <= 8


def prepare(context: Context, node: Node) -> copy.CopyParams:
    """The output's shape."""
    inp = input_tensor(context, node, 0)
    output = output_tensor(context, node)
    shape = inp.shape
    gone = {
        copy.positive_axis(context, axis, len(shape)) for axis in node.options.squeeze_dims or ()
    }
    gone = gone or {axis for axis, size in enumerate(shape) if size == 1}
    for axis in sorted(gone):
        if shape[axis] != 1:
            context.report_error(f"axis {axis} must have size 1 to be squeezed, got {list(shape)}")
    kept = tuple(size for axis, size in enumerate(shape) if axis not in gone)
    context.resize_tensor(output.index, kept, "refused")
    return copy.copy_params(inp.size, inp.type)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=copy.copy_invoke,
    overlap=same_place,
    rows=copy.copy_of_rows,
    options=SqueezeOptions,
    builtin_data=Struct("TfLiteSqueezeParams", (("int32", 8), "int")),
    constraints=(*c.one_to_one(*copy.COPIED_TYPES), at_most_8_dimensions),
)

TRAITS = Traits(
    values="rising", channels="reshaped", exact_on_floats=True, reshapes=True, drawn="shape"
)

SCHEME = MOVES
