"""FLOOR_DIV: the quotient of two inputs that broadcast, rounded down.

A divisor of 0, anywhere in input 1, is refused by TFLM, and here.

Facts: see :mod:`arenite.ops.shared.floor`.
"""

from __future__ import annotations

import numpy as np

from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.shared.floor import floor_division


def invoke(context: Context, node: Node) -> None:
    """``floor(a / b)``, divided in double precision."""
    a, b = input_array(context, node, 0), input_array(context, node, 1)
    if (b == 0).any():
        context.report_error("input 1 must have no zero to divide by")
    with np.errstate(all="ignore"):
        output_array(context, node)[...] = np.floor(a.astype(np.float64) / b)


REGISTRATION = floor_division(invoke)
