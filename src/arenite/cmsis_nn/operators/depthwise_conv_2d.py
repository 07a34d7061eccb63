"""DEPTHWISE_CONV_2D: TFLM ``micro/kernels/cmsis_nn/depthwise_conv.cc``.

Its ``Prepare`` leaves the strides open with which it asks for the size of the scratch buffer;
they matter for one input channel along a line on targets with vectors only. Here they are
the operator's.
"""

from __future__ import annotations

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn import dispatch
from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.cmsis_nn.operators._convolution import OP_DATA, allocate
from arenite.cmsis_nn.path import Path, path_to, path_to_reference
from arenite.cmsis_nn.shapes import depthwise_convolution
from arenite.cmsis_nn.targets import Target
from arenite.model import TensorType
from arenite.ops.constraints import NodeView


def path(view: NodeView, target: Target) -> Path:
    """By the types of activations and weights."""
    match view.input(0).type:
        case TensorType.FLOAT32:
            return path_to_reference("DepthwiseConv")
        case TensorType.INT16:
            return path_to("arm_depthwise_conv_s16", ())
    if view.input(1).type is TensorType.INT4:
        return dispatch.arm_depthwise_conv_wrapper_s4(depthwise_convolution(view))
    return dispatch.arm_depthwise_conv_wrapper_s8(depthwise_convolution(view), target)


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """One buffer for int8 activations, if the path needs it."""
    if view.input(0).type is not TensorType.INT8:
        return ()
    size_of = sizes.arm_depthwise_conv_wrapper_s8_get_buffer_size
    if view.input(1).type is TensorType.INT4:
        size_of = sizes.arm_depthwise_conv_wrapper_s4_get_buffer_size
    size = size_of(depthwise_convolution(view), target)
    return (Scratch(size, "window"),) if size > 0 else ()


GLUE = Glue(
    path=path,
    op_data=OP_DATA,
    allocate=allocate(3),
    scratch=scratch,
    constraints=(int16_is_symmetric,),
)
