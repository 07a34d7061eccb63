"""Lines that a cache does not have when they are read: exact sizes, the oldest goes."""

from __future__ import annotations

from collections import OrderedDict


class LineCache:
    """A cache of read lines, empty at first.

    Which line goes is the one that was used longest ago, as STMicroelectronics' accelerator of
    flash does it (RM0090, 3.4.2) and Nordic's cache (nRF5340, CACHE).

    >>> cache = LineCache(size=32, line=16, ways=2)
    >>> [cache.read(address, 4) for address in (0, 8, 16, 12, 32, 16)]
    [1, 0, 1, 0, 1, 1]

    Args:
        size: All bytes of it.
        line: Bytes of a line, which are read together.
        ways: Places that a line can take; ``size // line`` where it can take any.

    Raises:
        ValueError: Lines and ways do not make up the size.
    """

    def __init__(self, size: int, line: int, ways: int) -> None:
        if min(size, line, ways) < 1 or size % (line * ways):
            raise ValueError(
                f"expected a cache of whole sets, got {size} bytes, lines of {line}, {ways} ways"
            )
        self._line, self._ways = line, ways
        self._sets: list[OrderedDict[int, None]] = [
            OrderedDict() for _ in range(size // (line * ways))
        ]

    def read(self, address: int, size: int) -> int:
        """Read bytes; how many of their lines were not there."""
        misses = 0
        for line in range(address // self._line, (address + size - 1) // self._line + 1):
            lines = self._sets[line % len(self._sets)]
            if line in lines:
                lines.move_to_end(line)
                continue
            misses += 1
            lines[line] = None
            if len(lines) > self._ways:
                lines.popitem(last=False)
        return misses
