"""DEPTH_TO_SPACE: the depth of a pixel becomes the pixels of a block.

Facts: TFLM ``micro/kernels/depth_to_space.cc`` and ``reference/depth_to_space.h``.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.ops import MOVES_INT8, Context, Node, Registration, Struct, Traits
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.shared.block import CONSTRAINTS, AxisSwap, invoke, replace_shape


class DepthToSpaceOptions(OptionsTable, union=94):
    """``table DepthToSpaceOptions``."""

    block_size: int = slot(0, "int32")


def prepare(context: Context, node: Node) -> AxisSwap:
    """The output's shape; the pixels of a row change places with the rows of their blocks."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    batches, height, width, depth = inp.shape
    size = node.options.block_size
    if depth % (size * size):
        context.report_error(
            f"a depth of {depth} must divide into blocks of {size} by {size} pixels"
        )
    channels = depth // (size * size)
    replace_shape(context, output, (batches, height * size, width * size, channels))
    return AxisSwap(batches * height, width, size, size * channels)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=DepthToSpaceOptions,
    builtin_data=Struct("TfLiteDepthToSpaceParams", ("int",)),
    constraints=CONSTRAINTS,
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES_INT8
