"""The memory that a model may take on this machine, checked before it is taken.

A file of a few hundred bytes can ask for gigabytes: shapes multiply, and an offline plan puts
tensors wherever it likes. So every interpreter has a budget for what the *file* decides: the
arena that it sizes itself, tensors and scratch memory on the heap, packed weights and workspace
of the native engine, copies of the arena for threads.
"""

from __future__ import annotations

import os

from arenite.errors import MemoryLimitError

#: Bytes per interpreter, unless the user says otherwise.
DEFAULT_LIMIT = 256 << 20
VARIABLE = "ARENITE_MEMORY_LIMIT"

_limit: int | None = None


def memory_limit() -> int:
    """The most bytes that an interpreter takes for what a model asks of it.

    What :func:`set_memory_limit` said, else the environment's ``ARENITE_MEMORY_LIMIT``, else
    256 MiB. It counts when an interpreter is made.

    Raises:
        ValueError: The environment's value is not a number of bytes.
    """
    if _limit is not None:
        return _limit
    said = os.environ.get(VARIABLE)
    if not said:
        return DEFAULT_LIMIT
    if not said.isdecimal():
        raise ValueError(f"{VARIABLE}: expected a number of bytes, got {said!r}")
    return int(said)


def set_memory_limit(limit: int | None) -> None:
    """Set the limit of interpreters that are made from now on; None for the default again.

    >>> set_memory_limit(2 << 30)
    >>> memory_limit()
    2147483648
    >>> set_memory_limit(None)

    Raises:
        TypeError: It is no integer.
        ValueError: It is negative.
    """
    global _limit  # noqa: PLW0603 - a setting of the process, as NumPy's are
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int)):
        raise TypeError(f"expected a number of bytes or None, got {limit!r}")
    if limit is not None and limit < 0:
        raise ValueError(f"expected a limit of 0 or more bytes, got {limit}")
    _limit = limit


class Budget:
    """Bytes that one interpreter may still take."""

    __slots__ = ("limit", "taken")

    def __init__(self) -> None:
        self.limit = memory_limit()
        self.taken = 0

    def take(self, size: int, what: str) -> None:
        """Count bytes that are about to be allocated and kept.

        Raises:
            MemoryLimitError: They are too many; none are counted then.
        """
        taken = self.taken + size
        if taken > self.limit:
            self.check(size, what)  # which says what is wrong
        self.taken = taken

    def check(self, size: int, what: str) -> None:
        """The same for bytes that are given back soon.

        Raises:
            MemoryLimitError: They are too many.
        """
        if self.taken + size > self.limit:
            raise MemoryLimitError(
                f"{what} would take {size:,} bytes, {self.taken:,} are in use; the limit for an "
                f"interpreter is {self.limit:,} bytes: arenite.set_memory_limit(bytes) or "
                f"{VARIABLE}=bytes in the environment raises it",
                requested=size,
                limit=self.limit,
            )
