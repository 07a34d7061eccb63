"""The time of so many cycles on a device, as a range: the one place that says it.

An estimate counts cycles for memory that never makes the processor wait. Flash does, so a range
ends at what published boards took beyond the estimate: :attr:`arenite.cores.Accuracy.boards`.
"""

from __future__ import annotations

from typing import NamedTuple

from arenite.analysis.needs import Need
from arenite.boards import Board
from arenite.boards.board import Stalls
from arenite.cores import CORES


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


class Running(NamedTuple):
    """Quantities that memory may add cycles to, of an inference or a part of it.

    Attributes:
        cycles: Of computing, for memory that never makes the processor wait.
        instructions: That run.
        constants: Bytes of weights and the like.
        operators: Number of operators.
    """

    cycles: float
    instructions: float = 0.0
    constants: float = 0.0
    operators: int = 1


def span_of(
    work: Running,
    processor: str,
    board: Board | None,
    clock: float | None,
    margin: float | None = None,
) -> Span | None:
    """Shares of the computing cycles that an inference takes; None where nothing is known.

    Args:
        work: The inference.
        processor: The core.
        board: The board, whose memory may be known.
        clock: In MHz; what memory adds is known at the board's own clock.
        margin: By what share it may be off, instead of what is known.
    """
    if margin is not None:
        return Span(max(1 - margin, 0), 1 + margin, "")
    accuracy = CORES[processor].accuracy
    if accuracy is None:
        return None
    stalls = board.stalls if board is not None and clock == board.clock else None
    if stalls is None or not work.cycles:
        return Span(max(1 - accuracy.cycles, 0), 1 + accuracy.boards, accuracy.why)
    share = with_stalls(work, stalls) / work.cycles
    return Span(share * (1 - stalls.least), share * (1 + stalls.most), stalls.source)


def with_stalls(work: Running, stalls: Stalls) -> float:
    """Cycles with what memory adds, as an estimate."""
    return (
        work.cycles * stalls.computing
        + work.instructions * stalls.instruction
        + work.constants * stalls.byte
        + work.operators * stalls.operator
    )


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
