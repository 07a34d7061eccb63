"""Samples cut into chunks: of as much work as half a second has, wherever it is done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_FIRST, _GROWTH, _CHUNK_SECONDS = 16, 8, 0.5

Span = tuple[int, int]


@dataclass
class Cutter:
    """Rest of the samples, cut into chunks; their answers say how large the next ones are.

    Attributes:
        left: Spans of samples that nobody has been given, in order.
        size: Samples of the next chunk.
        most: The largest chunk, None where all have ``size``.
    """

    left: list[Span]
    size: int
    most: int | None

    def cut(self) -> Span | None:
        """The next chunk's span; None where nothing is left."""
        if not self.left:
            return None
        begin, end = self.left[0]
        middle = min(begin + self.size, end)
        self.left[:1] = [(middle, end)] if middle < end else []
        return begin, middle

    def learn(self, samples: int, seconds: float) -> None:
        """A chunk of so many samples took so long."""
        if self.most is not None:
            wanted = samples * min(_GROWTH, _CHUNK_SECONDS / max(seconds, 1e-9))
            self.size = min(max(1, int(wanted)), self.most)


def cutter_of(done: Iterable[Span], total: int, chunk: int | None, most: int) -> Cutter:
    """A cutter of all samples but those that are done.

    Args:
        done: Spans that are done, in order.
        total: How many samples there are.
        chunk: Samples of every chunk; by default they grow with what they take.
        most: The largest chunk then.
    """
    left, place = [], 0
    for begin, end in [*done, (total, total)]:
        if place < begin:
            left.append((place, begin))
        place = end
    if chunk is not None:
        return Cutter(left, max(1, chunk), None)
    return Cutter(left, min(_FIRST, most), most)
