"""The time of so many cycles on a device, as a range: the one place that says it.

An estimate counts cycles for memory that never makes the processor wait. Flash does, so a range
ends at what published boards took beyond the estimate: :attr:`arenite.cores.Accuracy.boards`.
"""

from __future__ import annotations

from typing import NamedTuple

from arenite.analysis.needs import Need
from arenite.boards import Board
from arenite.cores import CORES, Accuracy
from arenite.target import Target


class Span(NamedTuple):
    """Shares of the computing cycles that an inference takes, at least and at most: 0.9 and 1.45.

    ``why`` is what the upper end rests on, as the end of a sentence.
    """

    low: float
    high: float
    why: str

    @property
    def middle(self) -> float:
        """The share in the middle of the range."""
        return (self.low + self.high) / 2

    @property
    def words(self) -> str:
        """``"10% less to 45% more"``."""
        low, high = f"{abs(self.low - 1):.0%}", f"{abs(self.high - 1):.0%}"
        begins = "up to" if low == "0%" else f"{low} {'more' if self.low > 1 else 'less'} to"
        return f"{begins} {high} more"


def span_of(
    processor: str, board: Board | None, clock: float | None, margin: float | None = None
) -> Span | None:
    """Shares of the computing cycles that an inference takes; None where nothing is known.

    Args:
        processor: The core.
        board: The board, whose flash may be known.
        clock: In MHz; waits of flash are those of the board's own clock.
        margin: By what share it may be off, instead of what is known.
    """
    accuracy = CORES[processor].accuracy
    if margin is not None:
        return Span(max(1 - margin, 0), 1 + margin, "")
    if accuracy is None:
        return None
    low, high = _margins(accuracy, board, clock)
    return Span(max(1 + low, 0), 1 + high, accuracy.why)


def _margins(accuracy: Accuracy, board: Board | None, clock: float | None) -> tuple[float, float]:
    """Shares that an inference takes more at least (less if negative) and at most.

    Where flash makes published boards wait, theirs; by its waits where it waits for less.
    """
    waits = board.waits.cycles if board and board.waits and clock == board.clock else 0
    if not 0 < waits <= accuracy.waits:
        return -accuracy.cycles, accuracy.boards
    share, error = waits / accuracy.waits, accuracy.cycles
    return share * (accuracy.least + error) - error, share * (accuracy.boards - error) + error


def longest(
    cycles: float | None, target: Target, board: Board | None, clock: float | None
) -> float | None:
    """The most milliseconds that so many computing cycles take; None where that is not known."""
    span = span_of(target.processor, board, clock)
    if cycles is None or clock is None or span is None:
        return None
    return cycles * span.high / clock / 1000


def need_of_cycles(cycles: float, span: Span, clock: float, limit: float | None) -> Need:
    """Time of so many computing cycles: its parts add up to the middle of the range."""
    computing = cycles / clock / 1000
    waits = computing * (span.middle - 1)
    parts = {"computing": computing} | ({"waits for memory": waits} if waits > 1e-12 else {})
    if waits < -1e-12:
        parts = {"computing": computing + waits}
    note = f"an estimate, {span.words} than computing alone takes"
    note += f": {span.why}" if span.why else ""
    low, high = computing * span.low, computing * span.high
    return Need("time", "ms", parts, limit, note, low=low, high=high)


def need_between(low: float, high: float, limit: float | None, note: str) -> Need:
    """Time of which two ends are known, in milliseconds."""
    return Need("time", "ms", {"inference": (low + high) / 2}, limit, note, low=low, high=high)


def unknown_time(limit: float | None, note: str, at_least: float | None = None) -> Need:
    """Time that is not known; ``at_least`` is a bound in milliseconds, which is no estimate."""
    return Need("time", "ms", {}, limit, note, is_known=False, low=at_least)
