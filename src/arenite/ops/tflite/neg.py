"""NEG: every element with the other sign.

Facts: TFLM ``micro/kernels/neg.cc`` and ``reference/neg.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.shared.elementwise import register
from arenite.ops.traits import Traits

REGISTRATION = register(np.negative, prepares=False)

TRAITS = Traits(exact_on_floats=True, product="negated")
