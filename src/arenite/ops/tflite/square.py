"""SQUARE: every element times itself.

Facts: TFLM ``micro/kernels/elementwise.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.shared.elementwise import register
from arenite.ops.traits import Traits

REGISTRATION = register(np.square)

TRAITS = Traits(product="squared")
