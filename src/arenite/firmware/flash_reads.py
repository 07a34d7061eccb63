"""Waits of an inference for flash: lines that the caches of a known chip do not have.

The emulated core tells every block of code that it runs and every constant that it loads; caches of
exactly the chip's sizes are simulated over them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass

from arenite.boards.board import Board
from arenite.emulator.caches import LineCache
from arenite.emulator.machine import Machine
from arenite.errors import BoardError


@dataclass(frozen=True)
class FlashReads:
    """An inference on a board.

    Attributes:
        waits: Cycles for a line that no cache has.
        code: Such lines of instructions.
        data: Such lines of constants.
        cycles: The least and the most, waits among them.
        clock: In MHz.
    """

    waits: int
    code: int
    data: int
    cycles: tuple[int, int]
    clock: float


def flash_reads(
    machine: object, invoke: Callable[[], object], board: Board | None, cycles: int
) -> FlashReads | None:
    """Time that flash adds on a board; None where no board, or nothing of its caches, is known.

    Args:
        machine: The emulated core.
        invoke: One inference, its inputs written before.
        board: The board.
        cycles: Of an inference, for memory that never waits.

    Raises:
        BoardError: The core is one that QEMU emulates, which does not tell what it reads.
    """
    waits = board.waits if board is not None else None
    if board is None or waits is None or waits.code is None or waits.data is None:
        return None  # why_unknown says the reason
    if not isinstance(machine, Machine):
        raise BoardError("a core that QEMU emulates does not tell what it reads of flash")
    code = LineCache(*astuple(waits.code))
    data = code if waits.is_shared else LineCache(*astuple(waits.data))
    missing = lines_missing(machine, invoke, code, data)
    most = waits.beyond(cycles, *missing)
    return FlashReads(waits.cycles, *missing, most, board.clock)


def icache_of(board: Board | None) -> int | None:
    """Bytes of a board's cache of instructions, for which loops are unrolled; None: not known."""
    waits = None if board is None else board.waits
    return waits.code.size if waits is not None and waits.code is not None else None


def why_unknown(board: Board | None) -> str:
    """The facts of a board that :func:`flash_reads` lacks, as a sentence; empty if it has all."""
    if board is None or (board.waits is not None and board.waits.code is not None):
        return ""
    lacking = "waits and caches" if board.waits is None else "caches"
    return (
        f"narrower where {lacking} of {board.chip}'s flash are known: a file of yours can say them "
        "as waits, --board FILE.toml"
    )


def lines_missing(
    machine: Machine, invoke: Callable[[], object], code: LineCache, data: LineCache
) -> tuple[int, int]:
    """Lines of code and data that are missing in the second of two inferences."""
    machine.lines_missing(invoke, code, data)
    return machine.lines_missing(invoke, code, data)
