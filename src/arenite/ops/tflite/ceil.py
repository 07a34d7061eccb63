"""CEIL: the least integer that is not less.

Facts: TFLM ``micro/kernels/ceil.cc`` and ``reference/ceil.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.shared.elementwise import register

REGISTRATION = register(np.ceil, declared="refused")
