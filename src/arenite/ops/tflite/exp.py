"""EXP: e to the power of every element.

Facts: TFLM ``micro/kernels/exp.cc`` and ``reference/exp.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.shared.elementwise import register

REGISTRATION = register(np.exp, declared="refused")
