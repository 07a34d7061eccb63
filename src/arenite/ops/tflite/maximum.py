"""MAXIMUM: the larger of two inputs that broadcast, element by element.

Facts: see :mod:`arenite.ops.shared.maximum_minimum`.
"""

from __future__ import annotations

import numpy as np

from arenite.ops import MOVES, Traits
from arenite.ops.shared.maximum_minimum import selection

REGISTRATION = selection(np.greater)

TRAITS = Traits(
    values="rising", channels="broadcast", exact_on_floats=True, elementwise=True, clamps=True
)

SCHEME = MOVES
