"""MINIMUM: the smaller of two inputs that broadcast, element by element.

Facts: see :mod:`arenite.ops.shared.maximum_minimum`.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.scheme import MOVES
from arenite.ops.shared.maximum_minimum import selection
from arenite.ops.traits import Traits

REGISTRATION = selection(np.less)

TRAITS = Traits(
    values="rising", channels="broadcast", exact_on_floats=True, elementwise=True, clamps=True
)

SCHEME = MOVES
