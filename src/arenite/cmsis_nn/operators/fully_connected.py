"""FULLY_CONNECTED: TFLM ``micro/kernels/cmsis_nn/fully_connected.cc``.

Built with ``KERNELS_OPTIMIZED_FOR_SPEED``, TFLM's default.
"""

from __future__ import annotations

from arenite.cmsis_nn.decisions.fully_connected import decide
from arenite.cmsis_nn.decisions.path import Path
from arenite.cmsis_nn.glue import Glue
from arenite.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import input_tensor, optional_input_tensor, output_tensor
from arenite.ops.tflite.fully_connected import OP_DATA as REFERENCE_OP_DATA
from arenite.ops.tflite.fully_connected import is_per_channel

OP_DATA = Struct("OpData", (REFERENCE_OP_DATA, "int", "int", "pointer", "int32", "int32", "int32"))


def allocate(context: Context, node: Node, path: Path) -> None:
    """Tensors; per-channel requantisation; sums of constant weights where vectors need them."""
    inp = input_tensor(context, node, 0)
    weights = input_tensor(context, node, 1)
    optional_input_tensor(context, node, 2)
    output_tensor(context, node)
    if inp.type is not TensorType.FLOAT32 and is_per_channel(weights):
        assert weights.quantization is not None
        size = 4 * len(weights.quantization.scale)
        context.allocate_persistent_buffer(size, "per-channel multipliers")
        context.allocate_persistent_buffer(size, "per-channel shifts")
    for sums in path.persistent:
        context.allocate_persistent_buffer(sums.size, sums.purpose)


def per_channel_is_int8(node: NodeView) -> bool:
    """With CMSIS-NN only int8 activations may have weights with a scale per unit."""
    type_ = node.input(0).type
    return type_ is not TensorType.INT16 or not is_per_channel(node.input(1))


GLUE = Glue(
    decide,
    op_data=OP_DATA,
    allocate=allocate,
    constraints=(per_channel_is_int8, int16_is_symmetric),
)
