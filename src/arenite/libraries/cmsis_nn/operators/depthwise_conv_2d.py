"""DEPTHWISE_CONV_2D: TFLM ``micro/kernels/cmsis_nn/depthwise_conv.cc``.

int16: :mod:`arenite.libraries.cmsis_nn.operators._narrow`. int4 weights of an odd number of input
channels: :mod:`arenite.libraries.cmsis_nn.decisions.nibbles`.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.arithmetic.nibbles import (
    NibbleConvolution,
    NibbleParams,
    nibble_params,
)
from arenite.libraries.cmsis_nn.decisions.depthwise_conv_2d import decide, overlap
from arenite.libraries.cmsis_nn.decisions.undefined import undefined_depthwise
from arenite.libraries.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.libraries.cmsis_nn.operators._convolution import allocate
from arenite.libraries.cmsis_nn.operators._narrow import INT8_PRODUCT, narrow
from arenite.libraries.cmsis_nn.operators._op_data import CONVOLUTION
from arenite.libraries.glue import Glue, OwnBits
from arenite.libraries.path import Path
from arenite.libraries.shapes import depthwise_convolution
from arenite.ops.constraints import NodeView
from arenite.ops.shared.convolution import invoke_with
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams


def own(
    view: NodeView, params: DepthwiseConv2DParams, path: Path
) -> DepthwiseConv2DParams | NibbleParams:
    """int16 has 31 bits; int4 weights may be others."""
    if path.function == "arm_depthwise_conv_s4":
        return nibble_params(depthwise_convolution(view), params)
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
    bits=OwnBits(NibbleParams, own, invoke_with(NibbleConvolution), "CMSIS_NN_NIBBLES"),
    undefined=undefined_depthwise,
    overlap=overlap,
)
