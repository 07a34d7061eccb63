"""A search's deadline."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time


class OutOfNodesError(Exception):
    """A search took as many nodes as it may, or as much time."""


class Watch:
    """The processor time and the nodes of all searches together.

    What else the machine computes takes none of that time: a busy machine finds the same plan.

    Attributes:
        nodes: Decisions that were tried so far.
    """

    def __init__(self, seconds: float, told: Callable[[], None] | None = None) -> None:
        self.nodes = 0
        self._deadline = thread_time() + seconds
        self._told = told

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return thread_time() > self._deadline

    def look(self) -> None:
        """Tell who wants to know how far it is.

        Raises:
            OutOfNodesError: The time is up.
        """
        if self.is_over:
            raise OutOfNodesError
        if self._told is not None:
            self._told()
