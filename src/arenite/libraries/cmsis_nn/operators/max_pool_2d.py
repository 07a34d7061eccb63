"""MAX_POOL_2D: TFLM ``micro/kernels/cmsis_nn/pooling.cc``."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.decisions.pooling import decide_max, overlap_max
from arenite.libraries.cmsis_nn.operators._op_data import POOLING
from arenite.libraries.glue import Glue

GLUE = Glue(decide_max, op_data=POOLING, overlap=overlap_max)
