"""Channels of a subgraph's tensors, in groups that can only go together.

A channel is an element of the last axis. Operators that work channel by channel tie channels of
their tensors together; operators that nothing is known of keep theirs as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from arenite.model import Subgraph
from arenite.ops.context import Array
from arenite.optimize._intervals import channels_of, is_followed


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of every channel, and the groups that stay.

    Attributes:
        of: The groups of a tensor's channels, by tensor.
        stays: Whether a group has to stay, by group.
        reasons: Why, by group.
    """

    of: dict[int, Array]
    stays: Array
    reasons: dict[int, str]


class Channels:
    """Collects which channels belong together (a union-find) and which have to stay."""

    def __init__(self, subgraph: Subgraph) -> None:
        self._numbers: dict[int, Array] = {}
        count = 0
        for index, tensor in enumerate(subgraph.tensors):
            if tensor.is_constant or not is_followed(tensor):
                continue
            self._numbers[index] = np.arange(count, count + channels_of(tensor))
            count += channels_of(tensor)
        self._parents = list(range(count))
        self._reasons: dict[int, str] = {}

    def __contains__(self, tensor: int) -> bool:
        return tensor in self._numbers

    def numbers(self, tensor: int) -> Array:
        """The channels of a tensor, to be handed to the other methods."""
        return self._numbers[tensor]

    def tie(self, some: Array, others: Array) -> None:
        """Each of ``some`` goes only if its counterpart in ``others`` does."""
        for one, other in zip(some.tolist(), others.tolist(), strict=True):
            self._parents[self._root(one)] = self._root(other)

    def keep(self, tensors: Iterable[int], reason: str) -> None:
        """All channels of these tensors stay; what has none is passed over."""
        for tensor in tensors:
            self.keep_channels(self._numbers.get(tensor, np.zeros(0, int)), reason)

    def keep_channels(self, numbers: Array, reason: str) -> None:
        """These channels stay."""
        for number in numbers.tolist():
            self._reasons.setdefault(number, reason)

    def groups(self) -> Groups:
        """The groups that follow."""
        roots = np.array([self._root(number) for number in range(len(self._parents))], int)
        names, groups = np.unique(roots, return_inverse=True)
        reasons: dict[int, str] = {}
        for number, reason in self._reasons.items():
            reasons.setdefault(int(groups[number]), reason)
        stays = np.zeros(len(names), bool)
        stays[list(reasons)] = True
        of = {tensor: groups[numbers] for tensor, numbers in self._numbers.items()}
        return Groups(of, stays, reasons)

    def _root(self, number: int) -> int:
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number
