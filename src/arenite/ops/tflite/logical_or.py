"""LOGICAL_OR: whether one input is true, or both, which broadcast, element by element.

Facts: see :mod:`arenite.ops.shared.logical`.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.shared.logical import logical

REGISTRATION = logical(np.logical_or)
