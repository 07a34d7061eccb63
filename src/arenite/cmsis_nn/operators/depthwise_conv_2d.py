"""DEPTHWISE_CONV_2D: TFLM ``micro/kernels/cmsis_nn/depthwise_conv.cc``."""

from __future__ import annotations

from arenite.cmsis_nn.decisions.depthwise_conv_2d import decide
from arenite.cmsis_nn.glue import Glue
from arenite.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.cmsis_nn.operators._convolution import allocate
from arenite.cmsis_nn.operators._op_data import CONVOLUTION

GLUE = Glue(decide, op_data=CONVOLUTION, allocate=allocate(3), constraints=(int16_is_symmetric,))
