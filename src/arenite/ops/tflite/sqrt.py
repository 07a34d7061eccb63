"""SQRT: the square root; NaN of negative numbers.

Facts: TFLM ``micro/kernels/elementwise.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.shared.elementwise import register

REGISTRATION = register(np.sqrt)
