"""MAX_POOL_2D: TFLM ``micro/kernels/cmsis_nn/pooling.cc``."""

from __future__ import annotations

from arenite.cmsis_nn.decisions.pooling import decide_max, overlap_max
from arenite.cmsis_nn.glue import Glue
from arenite.cmsis_nn.operators._op_data import POOLING

GLUE = Glue(decide_max, op_data=POOLING, overlap=overlap_max)
