"""EQUAL: whether two inputs that broadcast are equal, element by element.

Facts: see :mod:`arenite.ops.shared.comparison`.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import BOOL, INT8
from arenite.ops.scheme import Scheme
from arenite.ops.shared.comparison import COMPARED, comparison

REGISTRATION = comparison(np.equal, BOOL)
TRAITS = COMPARED

SCHEME = Scheme(types=(INT8,), exact=True)
