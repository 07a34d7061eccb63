"""MINIMUM: TFLM ``micro/kernels/cmsis_nn/maximum_minimum.cc``."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.operators._constraints import within_4_dimensions
from arenite.libraries.cmsis_nn.operators._int8 import int8_glue
from arenite.ops.shared.overlap import element_by_element

GLUE = int8_glue(
    "arm_minimum_s8", "MaximumMinimumBroadcast", within_4_dimensions, element_by_element(0, 1)
)
