"""LOGICAL_NOT: true where an element is false.

Facts: TFLM ``micro/kernels/elementwise.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import BOOL
from arenite.ops.shared.elementwise import register

REGISTRATION = register(np.logical_not, BOOL)
