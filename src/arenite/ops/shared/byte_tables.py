"""Activations of int8 as tables of 256 results, made once for the numbers that decide them.

A network has the same few scales behind many layers, so a table is kept and shared by all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arenite.ops.kernel_util import in_c

Table = npt.NDArray[np.int8]


@lru_cache(maxsize=1024)
def table_of(function: str, in_numpy: Callable[..., Table], *numbers: float) -> Table:
    """``in_numpy(*numbers)``, read-only int8 (256); in C where the engine has it.

    ``function``: what ``csrc/include/parameters.h`` calls it, where the numbers are in this order.
    """
    quick = in_c()
    table: Table | None = quick.activation_table(function, *numbers) if quick else None
    if table is None:
        table = in_numpy(*numbers)
    table.flags.writeable = False
    return table
