"""MAXIMUM and MINIMUM: elementwise selection between two inputs that broadcast.

Facts: TFLM ``micro/kernels/maximum_minimum.h`` and ``reference/maximum_minimum.h``. TFLM
prepares nothing and compares quantised values as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import Array, Context, Node, Registration
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.shared.binary import constraints, resize_output
from arenite.ops.shared.overlap import element_by_element


class MaximumMinimumOptions(OptionsTable, union=39):
    """``table MaximumMinimumOptions``."""


def selection(first_wins: Callable[[Array, Array], Any]) -> Registration:
    """An operator that takes the first input where ``first_wins``, else the second.

    So a comparison with NaN, which is false, takes the second input.
    """

    def invoke(context: Context, node: Node) -> None:
        a, b = input_array(context, node, 0), input_array(context, node, 1)
        out = output_array(context, node)
        out[...] = np.where(first_wins(a, b), a, b)

    return Registration(
        prepare=resize_output,
        invoke=invoke,
        overlap=element_by_element(0, 1),
        options=MaximumMinimumOptions,
        constraints=constraints(FLOAT32, INT8, INT16, INT32, INT64),
    )
