"""LESS: whether input 0 is less than input 1, element by element.

Facts: see :mod:`arenite.ops.shared.comparison`.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.scheme import COMPUTES_INT8
from arenite.ops.shared.comparison import COMPARED, comparison

REGISTRATION = comparison(np.less)
TRAITS = COMPARED

SCHEME = COMPUTES_INT8
