"""Random models of one operator: what an operator's file states as ``CASES``, and what draws them.

A case is a function of a :class:`Draw`. What it draws is a list of integers, so that a case that
fails can be made smaller without knowing what the integers are for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from arenite.model import Model


class Draw:
    """Integers, drawn or as they were told; numbers of arrays by a seed.

    Attributes:
        drawn: The integers so far.
    """

    def __init__(self, seed: int, told: Sequence[int] = ()) -> None:
        self._choice = np.random.default_rng([seed, 0])
        #: For values that have no order of size: weights, inputs.
        self.values = np.random.default_rng([seed, 1])
        self._told = tuple(told)
        self.drawn: list[int] = []

    def integer(self, low: int, high: int) -> int:
        """An integer of ``[low, high]``; smaller ones make smaller models."""
        number, place = int(self._choice.integers(low, high, endpoint=True)), len(self.drawn)
        if place < len(self._told):
            number = min(max(self._told[place], low), high)
        self.drawn.append(number)
        return number

    def scale(self, low: float = 1e-3, high: float = 1.0) -> float:
        """A scale, evenly over orders of magnitude."""
        return float(np.exp(self.values.uniform(np.log(low), np.log(high))))

    def array(self, shape: Sequence[int], kind: str) -> npt.NDArray[np.generic]:
        """Values over the whole range of a type."""
        if kind.startswith("float"):
            return self.values.normal(0, 1, tuple(shape)).astype(kind)
        limits = np.iinfo(kind)
        found = self.values.integers(limits.min, limits.max, tuple(shape), endpoint=True)
        return found.astype(kind)


#: Makes a model of one operator.
Cases = Callable[[Draw], Model]


def smaller(drawn: Sequence[int], fails: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """Integers that fail too, none of which can be lowered alone."""
    best = tuple(drawn)
    has_changed = True
    while has_changed:
        has_changed = False
        for place, number in enumerate(best):
            for lower in dict.fromkeys((0, number // 2, number - 1)):
                tried = (*best[:place], lower, *best[place + 1 :])
                if 0 <= lower < number and fails(tried):
                    best, has_changed = tried, True
                    break
    return best
