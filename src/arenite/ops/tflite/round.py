"""ROUND: the nearest integer, halves to the even one.

Facts: TFLM ``micro/kernels/round.cc`` and ``reference/round.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.shared.elementwise import register

REGISTRATION = register(np.rint, declared="refused")
