"""GREATER: whether input 0 is greater than input 1, element by element.

Undefined in TFLM: int16 is compared with parameters that are never set. Here it is compared as
int8 is, by scales and zero points, or as it is where neither input has them; a warning says so.

Facts: see :mod:`arenite.ops.shared.comparison`.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import INT16
from arenite.ops.scheme import COMPUTES_INT8
from arenite.ops.shared.comparison import COMPARED, comparison

REGISTRATION = comparison(np.greater, INT16)
TRAITS = COMPARED

#: What TFLM makes of int16 is undefined.
SCHEME = COMPUTES_INT8
