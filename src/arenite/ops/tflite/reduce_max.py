"""REDUCE_MAX: the largest element along some axes.

A NaN is never the largest. Of nothing, or of NaN alone, the result is the lowest finite number of
the type. Facts: TFLM ``micro/kernels/reduce_common.cc`` and ``reference/reduce.h``.
"""

from __future__ import annotations

import math

import numpy as np

from arenite.ops import MOVES_INT8, Traits
from arenite.ops.shared.reduction import extreme
from arenite.ops.traits import Saturation

REGISTRATION = extreme("maximum", np.fmax, worst=-math.inf)

TRAITS = Traits(
    values="rising",
    channels="reduced",
    saturation=Saturation(0.0, of="row"),
    drawn="pool",
    compiled="for U85 Vela's commands may store the first of several results only",
)

SCHEME = MOVES_INT8
