"""FULLY_CONNECTED: TFLM ``micro/kernels/cmsis_nn/fully_connected.cc``.

Built with ``KERNELS_OPTIMIZED_FOR_SPEED``, TFLM's default.
"""

from __future__ import annotations

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn import dispatch
from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.cmsis_nn.path import Path, path_to, path_to_reference
from arenite.cmsis_nn.shapes import FullyConnected, fully_connected
from arenite.cmsis_nn.targets import Target
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops import Context, Node, TfLiteTensor
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import input_tensor, optional_input_tensor, output_tensor
from arenite.ops.tflite.fully_connected import OP_DATA as REFERENCE_OP_DATA
from arenite.ops.tflite.fully_connected import is_per_channel

OP_DATA = Struct("OpData", (REFERENCE_OP_DATA, "int", "int", "pointer", "int32", "int32", "int32"))


def path(view: NodeView, target: Target) -> Path:
    """By the types of activations and weights."""
    match view.input(0).type:
        case TensorType.FLOAT32:
            return path_to_reference("FullyConnected")
        case TensorType.INT16:
            return path_to("arm_fully_connected_s16", (), "arm_nn_vec_mat_mult_t_s16")
    if view.input(1).type is TensorType.INT4:
        return path_to("arm_fully_connected_s4", (), "arm_nn_vec_mat_mult_t_s4")
    return dispatch.fully_connected_s8(fully_connected(view), target)


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """Requantisation per unit and pixels for the 1x1 convolution, sums of weights."""
    if not is_int8(view.input(0), view.input(1)):
        return ()
    layer = fully_connected(view)
    wanted = []
    if runs_as_convolution(layer):
        if not layer.per_channel:
            wanted.append(Scratch(2 * 4 * layer.units, "per-channel quantization"))
        size = sizes.arm_convolve_1x1_s8_fast_get_buffer_size(layer.depth, target)
        wanted.append(Scratch(size, "pixels"))
    elif not keeps_sums(view.input(1), bias_of(view)):
        size = sizes.arm_fully_connected_s8_get_buffer_size(layer.units, target)
        wanted.append(Scratch(size, "kernel sums"))
    return tuple(request for request in wanted if request.size > 0)


def allocate(context: Context, node: Node, target: Target) -> None:
    """Tensors; per-channel requantisation; sums of constant weights where vectors need them."""
    inp = input_tensor(context, node, 0)
    weights = input_tensor(context, node, 1)
    bias = optional_input_tensor(context, node, 2)
    output = output_tensor(context, node)
    if inp.type is not TensorType.FLOAT32 and is_per_channel(weights):
        assert weights.quantization is not None
        size = 4 * len(weights.quantization.scale)
        context.allocate_persistent_buffer(size, "per-channel multipliers")
        context.allocate_persistent_buffer(size, "per-channel shifts")
    layer = fully_connected(NodeView(node.name, (inp, weights, bias), (output,), node.options))
    if not is_int8(inp, weights) or runs_as_convolution(layer) or not keeps_sums(weights, bias):
        return
    size = sizes.arm_fully_connected_s8_get_buffer_size(layer.units, target)
    if size > 0:
        context.allocate_persistent_buffer(size, "kernel sums")


def is_int8(inp: TfLiteTensor, weights: TfLiteTensor) -> bool:
    """Whether activations and weights are int8."""
    return inp.type is TensorType.INT8 and weights.type is not TensorType.INT4


def runs_as_convolution(layer: FullyConnected) -> bool:
    """``is_conv_1x1_possible``."""
    return layer.rank > 2 and layer.depth % 4 == 0


def keeps_sums(weights: TfLiteTensor, bias: TfLiteTensor | None) -> bool:
    """Whether sums of weights are computed once: weights and bias are constants."""
    return weights.is_constant and (bias is None or bias.is_constant)


def bias_of(view: NodeView) -> TfLiteTensor | None:
    """The bias, None where there is none."""
    return view.inputs[2] if len(view.inputs) > 2 else None


def per_channel_is_int8(node: NodeView) -> bool:
    """With CMSIS-NN only int8 activations may have weights with a scale per unit."""
    type_ = node.input(0).type
    return type_ is not TensorType.INT16 or not is_per_channel(node.input(1))


GLUE = Glue(
    path=path,
    op_data=OP_DATA,
    allocate=allocate,
    scratch=scratch,
    constraints=(per_channel_is_int8, int16_is_symmetric),
)
