"""A budget of calls of subgraphs: loops of a model may have no end, as on the device.

A budget is a count, no time: the same model ends at the same place on every machine and with every
engine. Whoever runs models that are not theirs gives one to the interpreter (``limit_calls``).
"""

from __future__ import annotations

import numpy as np

from arenite.errors import LoopLimitError
from arenite.options import takes, whole


class CallBudget:
    """Calls of subgraphs by IF, WHILE and CALL_ONCE that are left; a round of WHILE has two.

    Several interpreters may share one, one after the other.

    Attributes:
        limit: How many there were at first.
        left: An int64 array of one element, from which the native engine takes as well. Below 0
            where a call was refused.
    """

    __slots__ = ("left", "limit")

    @takes(limit=whole(most=2**63 - 1))
    def __init__(self, limit: int) -> None:
        if limit < 0:
            raise ValueError(f"expected a limit of 0 or more calls, got {limit}")
        self.limit = limit
        self.left = np.array([limit], np.int64)

    def take(self) -> None:
        """Count a call that is about to be made.

        Raises:
            LoopLimitError: There is none left.
        """
        self.left[0] -= 1
        if self.left[0] < 0:
            raise LoopLimitError
