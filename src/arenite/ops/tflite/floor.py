"""FLOOR: the greatest integer that is not greater.

Facts: TFLM ``micro/kernels/floor.cc`` and ``reference/floor.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.shared.elementwise import register

REGISTRATION = register(np.floor, prepares=False)
