"""Operators that compute row by row: what several samples at once need of them.

An operator states it once, as :attr:`Registration.rows`: every slice of its output along the first
axis comes from that slice of its first input and from constants, so samples may lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rows = Callable[[Any, int], Any]
"""``rows(params, count)``: the parameters for ``count`` times the rows that ``params`` are for."""


def row_by_row(params: Any, count: int) -> Any:
    """The same parameters for any number of rows."""
    return params
