"""EXP: e to the power of every element.

Facts: TFLM ``micro/kernels/exp.cc`` and ``reference/exp.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops import Traits
from arenite.ops.shared.elementwise import register
from arenite.ops.traits import Saturation

REGISTRATION = register(np.exp, declared="refused")

TRAITS = Traits(saturation=Saturation(-12.0, of="all"))
