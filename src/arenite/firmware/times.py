"""The time of an export's inference on a board, as the range that every command shows."""

from __future__ import annotations

from arenite.analysis.needs import Need, amount
from arenite.analysis.time_range import (
    Running,
    need_between,
    need_of_cycles,
    span_of,
    unknown_time,
)
from arenite.boards import Board
from arenite.firmware.flash_reads import FlashReads


def time_on(
    work: Running | None,
    processor: str,
    board: Board | None,
    clock: float | None,
    *,
    reads: FlashReads | None = None,
    limit: float | None = None,
) -> Need:
    """Time in milliseconds of what an emulated core ran.

    Args:
        work: What ran; None where nothing did, or its cycles are not known.
        processor: The core.
        board: The board, whose flash may be known.
        clock: In MHz.
        reads: What flash adds, where caches of the board's chip are known.
        limit: In milliseconds.
    """
    if clock is None:
        return unknown_time(limit, "not known without a clock")
    if work is None:
        return unknown_time(limit, f"nothing ran: no core is emulated, or no cycles of {processor}")
    if reads is not None and reads.clock == clock:
        low, high = (one / clock / 1000 for one in reads.cycles)
        return need_between(low, high, limit, "with waits for flash, counted line by line")
    span = span_of(work, processor, board, clock)
    if span is None:
        bound = work.cycles / clock / 1000
        note = f"what flash adds on {processor} is not known; computing alone takes "
        return unknown_time(limit, note + amount(bound, "ms"), bound)
    need = need_of_cycles(work.cycles, span, clock, limit)
    return need.noted("; no export was timed on a board")
