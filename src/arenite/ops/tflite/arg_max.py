"""ARG_MAX: the index of the largest value along an axis, the first of several.

Facts: TFLM ``micro/kernels/arg_min_max.cc`` and ``reference/arg_min_max.h``.
"""

from __future__ import annotations

import math

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.ops.scheme import COMPUTES_INT8
from arenite.ops.shared.arg_min_max import register


class ArgMaxOptions(OptionsTable, union=40):
    """``table ArgMaxOptions``. TFLM looks at the output's type, not at this one."""

    output_type: int = slot(0, "int8")


REGISTRATION = register(ArgMaxOptions, np.argmax, worst=-math.inf)

SCHEME = COMPUTES_INT8
