"""REDUCE_MIN: the smallest element along some axes.

A NaN is never the smallest. Of nothing, or of NaN alone, the result is the largest finite number of
the type. Facts: TFLM ``micro/kernels/reduce_common.cc`` and ``reference/reduce.h``.
"""

from __future__ import annotations

import math

import numpy as np

from arenite.ops import MOVES_INT8, Traits
from arenite.ops.shared.reduction import extreme

REGISTRATION = extreme("minimum", np.fmin, worst=math.inf)

TRAITS = Traits(
    values="rising",
    channels="reduced",
    compiled="for U85 Vela's commands may store the first of several results only",
)

SCHEME = MOVES_INT8
