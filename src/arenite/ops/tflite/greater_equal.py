"""GREATER_EQUAL: whether input 0 is greater than input 1 or equal, element by element.

Facts: see :mod:`arenite.ops.shared.comparison`.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.scheme import COMPUTES_INT8
from arenite.ops.shared.comparison import COMPARED, comparison

REGISTRATION = comparison(np.greater_equal)
TRAITS = COMPARED

SCHEME = COMPUTES_INT8
