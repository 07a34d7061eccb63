"""SPACE_TO_DEPTH: the pixels of a block, one behind the other, become the depth of one pixel.

Facts: TFLM ``micro/kernels/space_to_depth.cc`` and ``reference/space_to_depth.h``.
"""

from __future__ import annotations

from arenite.model import OptionsTable, slot
from arenite.ops import MOVES_INT8, Context, Node, Registration, Struct, Traits
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.shared.block import CONSTRAINTS, AxisSwap, invoke, replace_shape


class SpaceToDepthOptions(OptionsTable, union=19):
    """``table SpaceToDepthOptions``."""

    block_size: int = slot(0, "int32")


def prepare(context: Context, node: Node) -> AxisSwap:
    """The output's shape; a block's rows change places with the blocks of a row."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    batches, height, width, depth = inp.shape
    size = node.options.block_size
    if height % size or width % size:
        context.report_error(f"{height} by {width} pixels must divide into blocks of {size}")
    shape = (batches, height // size, width // size, depth * size * size)
    replace_shape(context, output, shape)
    return AxisSwap(batches * height // size, size, width // size, size * depth)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=SpaceToDepthOptions,
    builtin_data=Struct("TfLiteSpaceToDepthParams", ("int",)),
    constraints=CONSTRAINTS,
)

TRAITS = Traits(values="rising", exact_on_floats=True)

SCHEME = MOVES_INT8
