"""TRANSPOSE_CONV: TFLM ``micro/kernels/cmsis_nn/transpose_conv.cc``."""

from __future__ import annotations

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn import dispatch
from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.path import Path, path_to_reference
from arenite.cmsis_nn.shapes import transpose_convolution
from arenite.cmsis_nn.targets import Target
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import input_tensor, optional_input_tensor, output_tensor
from arenite.ops.tflite.transpose_conv import CONV_PARAMS

OP_DATA = Struct("OpData", (CONV_PARAMS, "int", "int", "int", "pointer", "pointer"))
_WEIGHTS, _INPUT, _BIAS = 1, 2, 3


def path(view: NodeView, target: Target) -> Path:
    """int8 goes to CMSIS-NN."""
    if view.input(_INPUT).type is TensorType.INT8:
        return dispatch.arm_transpose_conv_wrapper_s8(transpose_convolution(view), target)
    return path_to_reference("TransposeConv")


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """For int8 two buffers (the second may be empty), for int16 sums, and a bias in 64 bits."""
    match view.input(_INPUT).type:
        case TensorType.INT8:
            conv = transpose_convolution(view)
            sums = sizes.arm_transpose_conv_s8_get_buffer_size(conv, target)
            reverse = sizes.arm_transpose_conv_s8_get_reverse_conv_buffer_size(conv)
            return Scratch(sums, "sums"), Scratch(reverse, "reversed filter")
        case TensorType.INT16:
            bias = view.inputs[_BIAS] if len(view.inputs) > _BIAS else None
            wanted = [Scratch(8 * view.output(0).size, "sums")]
            if bias is not None and bias.type is TensorType.INT16:
                wanted.append(Scratch(8 * bias.size, "bias in 64 bits"))
            return tuple(wanted)
    return ()


def allocate(context: Context, node: Node, target: Target) -> None:
    """Tensors and requantisation per channel; tensors again in ``CalculateOpData``."""
    output_tensor(context, node)
    inp = input_tensor(context, node, _INPUT)
    weights = input_tensor(context, node, _WEIGHTS)
    context.allocate_persistent_buffer(4 * weights.shape[0], "per-channel multipliers")
    context.allocate_persistent_buffer(4 * weights.shape[0], "per-channel shifts")
    if inp.type is not TensorType.FLOAT32:
        input_tensor(context, node, _INPUT)
        input_tensor(context, node, _WEIGHTS)
        optional_input_tensor(context, node, _BIAS)
        output_tensor(context, node)


def int16_has_a_bias(node: NodeView) -> bool:
    """With CMSIS-NN int16 activations need a bias: TFLM looks at its type without asking."""
    bias = node.inputs[_BIAS] if len(node.inputs) > _BIAS else None
    return node.input(_INPUT).type is not TensorType.INT16 or bias is not None


GLUE = Glue(
    path=path,
    op_data=OP_DATA,
    allocate=allocate,
    scratch=scratch,
    constraints=(int16_has_a_bias,),
)
