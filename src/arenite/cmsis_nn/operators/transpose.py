"""TRANSPOSE: TFLM ``micro/kernels/cmsis_nn/transpose.cc``."""

from __future__ import annotations

from arenite.cmsis_nn.operators._constraints import int8_within_4_dimensions
from arenite.cmsis_nn.operators._int8 import int8_glue

GLUE = int8_glue("arm_transpose_s8", "Transpose", int8_within_4_dimensions("arm_transpose_s8"))
