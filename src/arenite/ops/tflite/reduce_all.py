"""REDUCE_ALL: whether all elements along some axes are true; of nothing they are.

Facts: TFLM ``micro/kernels/reduce_common.cc`` and ``reference/reduce.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import BOOL
from arenite.ops.shared.reduction import constraints, register

REGISTRATION = register(
    "conjunction",
    lambda x, axes: np.asarray(np.logical_and.reduce(x, axes)),
    *constraints(BOOL),
)
