"""TRANSPOSE_CONV: TFLM ``micro/kernels/cmsis_nn/transpose_conv.cc``."""

from __future__ import annotations

from arenite.cmsis_nn.decisions.path import Path
from arenite.cmsis_nn.decisions.transpose_conv import BIAS, INPUT, decide
from arenite.cmsis_nn.glue import Glue
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import input_tensor, optional_input_tensor, output_tensor
from arenite.ops.tflite.transpose_conv import CONV_PARAMS

OP_DATA = Struct("OpData", (CONV_PARAMS, "int", "int", "int", "pointer", "pointer"))
_WEIGHTS = 1


def allocate(context: Context, node: Node, path: Path) -> None:
    """Tensors and requantisation per channel; tensors again in ``CalculateOpData``."""
    output_tensor(context, node)
    inp = input_tensor(context, node, INPUT)
    weights = input_tensor(context, node, _WEIGHTS)
    context.allocate_persistent_buffer(4 * weights.shape[0], "per-channel multipliers")
    context.allocate_persistent_buffer(4 * weights.shape[0], "per-channel shifts")
    if inp.type is not TensorType.FLOAT32:
        input_tensor(context, node, INPUT)
        input_tensor(context, node, _WEIGHTS)
        optional_input_tensor(context, node, BIAS)
        output_tensor(context, node)


def int16_has_a_bias(node: NodeView) -> bool:
    """With CMSIS-NN int16 activations need a bias: TFLM looks at its type without asking."""
    bias = node.inputs[BIAS] if len(node.inputs) > BIAS else None
    return node.input(INPUT).type is not TensorType.INT16 or bias is not None


GLUE = Glue(
    decide,
    op_data=OP_DATA,
    allocate=allocate,
    constraints=(int16_has_a_bias,),
)
