"""FLOOR_MOD: the remainder of a division that is rounded down, with the sign of the divisor.

Of a division by 0 it is NaN.

Facts: see :mod:`arenite.ops.shared.floor`.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.shared.floor import floor_division


def invoke(context: Context, node: Node) -> None:
    """C's ``fmod``, plus the divisor where the signs differ."""
    a, b = input_array(context, node, 0), input_array(context, node, 1)
    with np.errstate(all="ignore"):
        remainder = np.fmod(a, b)
        moved = (remainder != 0) & ((b < 0) != (remainder < 0))
        output_array(context, node)[...] = np.where(moved, remainder + b, remainder)


REGISTRATION = floor_division(invoke)
