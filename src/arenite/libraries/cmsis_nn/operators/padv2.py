"""PADV2: TFLM ``micro/kernels/cmsis_nn/pad.cc``."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.operators._constraints import int8_within_4_dimensions
from arenite.libraries.cmsis_nn.operators._int8 import int8_glue
from arenite.ops.shared.pad import overlap

GLUE = int8_glue("arm_pad_s8", "Pad", int8_within_4_dimensions("arm_pad_s8"), overlap)
