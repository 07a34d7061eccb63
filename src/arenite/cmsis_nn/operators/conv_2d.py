"""CONV_2D: TFLM ``micro/kernels/cmsis_nn/conv.cc``."""

from __future__ import annotations

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn import dispatch
from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.operators._convolution import OP_DATA, allocate
from arenite.cmsis_nn.path import Path, path_to_reference
from arenite.cmsis_nn.shapes import convolution
from arenite.cmsis_nn.targets import Target
from arenite.model import TensorType
from arenite.ops.constraints import NodeView


def path(view: NodeView, target: Target) -> Path:
    """By the types of activations and weights."""
    match view.input(0).type:
        case TensorType.FLOAT32:
            return path_to_reference("Conv")
        case TensorType.INT16:
            return dispatch.arm_convolve_wrapper_s16(target)
    wrapper = dispatch.arm_convolve_wrapper_s8
    if view.input(1).type is TensorType.INT4:
        wrapper = dispatch.arm_convolve_wrapper_s4
    return wrapper(convolution(view), target)


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """One buffer; for int4 weights it is as large as for int8."""
    match view.input(0).type:
        case TensorType.INT8:
            size = sizes.arm_convolve_wrapper_s8_get_buffer_size(convolution(view), target)
        case TensorType.INT16:
            size = sizes.arm_convolve_wrapper_s16_get_buffer_size(convolution(view), target)
        case _:
            size = 0
    return (Scratch(size, "im2col"),) if size > 0 else ()


GLUE = Glue(path=path, op_data=OP_DATA, allocate=allocate(0), scratch=scratch)
