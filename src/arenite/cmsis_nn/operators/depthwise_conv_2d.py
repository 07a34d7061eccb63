"""DEPTHWISE_CONV_2D: TFLM ``micro/kernels/cmsis_nn/depthwise_conv.cc``.

int16: :mod:`arenite.cmsis_nn.operators._narrow`.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.cmsis_nn.decisions.depthwise_conv_2d import decide, overlap
from arenite.cmsis_nn.decisions.path import Path
from arenite.cmsis_nn.glue import Glue, OwnBits
from arenite.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.cmsis_nn.operators._convolution import allocate
from arenite.cmsis_nn.operators._narrow import INT8_PRODUCT, narrow
from arenite.cmsis_nn.operators._op_data import CONVOLUTION
from arenite.ops.constraints import NodeView
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams


def own(view: NodeView, params: DepthwiseConv2DParams, path: Path) -> DepthwiseConv2DParams:
    """int16 has 31 bits."""
    if path.function != "arm_depthwise_conv_s16":
        return params
    bias = view.inputs[2] if len(view.inputs) > 2 else None
    taps = view.input(1).size // view.input(1).shape[3]
    shift = narrow(params.multiplier, params.shift, taps * INT8_PRODUCT, bias)
    return replace(params, shift=shift)


GLUE = Glue(
    decide,
    op_data=CONVOLUTION,
    allocate=allocate(3),
    constraints=(int16_is_symmetric,),
    bits=OwnBits(DepthwiseConv2DParams, own),
    overlap=overlap,
)
