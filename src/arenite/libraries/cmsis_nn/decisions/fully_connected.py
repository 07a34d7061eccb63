"""FULLY_CONNECTED: vector by matrix, or a 1x1 convolution.

Built with ``KERNELS_OPTIMIZED_FOR_SPEED``, TFLM's default. Facts: TFLM
``micro/kernels/cmsis_nn/fully_connected.cc``; CMSIS-NN
``Source/FullyConnectedFunctions/arm_fully_connected_wrapper_s8.c`` and
``arm_fully_connected_get_buffer_sizes_s8.c``.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.decisions.before import unpacked
from arenite.libraries.cmsis_nn.decisions.conv_2d import arm_convolve_1x1_s8_fast
from arenite.libraries.path import (
    Condition,
    Path,
    Questions,
    Scratch,
    needed,
    path_to,
    path_to_reference,
)
from arenite.libraries.shapes import DenseShape, fully_connected
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target

_INT32 = 4


def decide(view: NodeView, target: Target) -> Path:
    """By the types of activations and weights."""
    match view.input(0).type:
        case TensorType.FLOAT32:
            return path_to_reference("FullyConnected")
        case TensorType.INT16:
            return path_to("arm_fully_connected_s16", "arm_nn_vec_mat_mult_t_s16")
    path = fully_connected_s8(fully_connected(view), target, keeps_sums=_keeps_sums(view))
    if view.input(1).type is not TensorType.INT4:
        return path
    int4 = path_to("arm_fully_connected_s4", "arm_nn_vec_mat_mult_t_s4")
    return unpacked(view, path, target) or int4


def _keeps_sums(view: NodeView) -> bool:
    """Whether sums of weights are computed once: weights and bias are constants."""
    bias = view.inputs[2] if len(view.inputs) > 2 else None
    return view.input(1).is_constant and (bias is None or bias.is_constant)


def fully_connected_s8(layer: DenseShape, target: Target, *, keeps_sums: bool = True) -> Path:
    """As TFLM's glue calls it: long rows of a larger tensor as 1x1 convolution."""
    questions = Questions()
    if questions.hold("arm_convolve_1x1_s8_fast", *runs_as_convolution(layer)):
        path = arm_convolve_1x1_s8_fast(questions, layer.depth, target, "pixels")
        if layer.per_channel:
            return path
        copied = Scratch(2 * _INT32 * layer.units, "per-channel quantization")
        return replace(path, scratch=(copied, *path.scratch))
    path = arm_fully_connected_wrapper_s8(layer, questions.asked)
    sums = kernel_sums(layer.units, target)
    return replace(path, persistent=sums) if keeps_sums else replace(path, scratch=sums)


def arm_fully_connected_wrapper_s8(layer: DenseShape, asked: tuple[Condition, ...] = ()) -> Path:
    """int8 activations and weights."""
    questions = Questions("arm_fully_connected_wrapper_s8", asked)
    if questions.hold("arm_fully_connected_per_channel_s8", has_scales(layer)):
        inner = "arm_nn_vec_mat_mult_t_per_ch_s8"
        return questions.path("arm_fully_connected_per_channel_s8", inner)
    return questions.path("arm_fully_connected_s8", "arm_nn_vec_mat_mult_t_s8")


def kernel_sums(units: int, target: Target) -> tuple[Scratch, ...]:
    """With vectors the sum of every unit's weights."""
    return needed(units * _INT32 if target.instructions == "mve" else 0, "kernel sums")


# -- conditions -------------------------------------------------------------------------


def runs_as_convolution(layer: DenseShape) -> tuple[Condition, ...]:
    """``is_conv_1x1_possible``."""
    return (
        Condition(f"the output has more than 2 dimensions: {layer.rank}", layer.rank > 2),
        Condition(f"the depth is a multiple of 4: {layer.depth}", layer.depth % 4 == 0),
    )


def has_scales(layer: DenseShape) -> Condition:
    """One for all units, or one each."""
    return Condition("every unit has a scale of its own", layer.per_channel)
