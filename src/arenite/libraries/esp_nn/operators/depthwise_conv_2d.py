"""DEPTHWISE_CONV_2D: esp-tflite-micro ``micro/kernels/esp_nn/depthwise_conv.cc``.

Scratch memory as for CONV_2D: wherever the input is int8.
"""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch import faults, scratch
from arenite.libraries.esp_nn.dispatch.paths import is_int8, one_buffer, overlap, to_kernel
from arenite.libraries.esp_nn.operators._op_data import CONVOLUTION
from arenite.libraries.glue import Glue
from arenite.libraries.path import Condition, Path, Questions
from arenite.libraries.shapes import ONE, depthwise_convolution
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By types and dilation."""
    questions = Questions()
    if view.input(0).type is not TensorType.INT8:
        questions.hold("esp_nn_depthwise_conv_s8", is_int8(view, 0, 1))
        return questions.reference("DepthwiseConv")
    conv = depthwise_convolution(view)
    parts = scratch.depthwise_conv_2d(conv, target)
    dilation = Condition(f"filters are not dilated: {conv.dilation}", conv.dilation == ONE)
    if not questions.hold("esp_nn_depthwise_conv_s8", is_int8(view, 0, 1), dilation):
        return questions.reference("DepthwiseConvPerChannel", scratch=one_buffer(parts))
    return to_kernel(questions, "depthwise_conv", target, parts)


GLUE = Glue(
    decide,
    op_data=CONVOLUTION,
    constraints=(faults.int8_has_a_bias,),
    overlap=overlap,
    undefined=faults.depthwise_faults,
)
