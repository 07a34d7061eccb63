"""Size of what ``arenite export`` would write of a model, without a folder that stays."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arenite.analysis.fit import Fit, need_facts, outcome_of
from arenite.analysis.needs import Need
from arenite.analysis.time_range import Running
from arenite.boards import Board
from arenite.cores import DEFAULT
from arenite.errors import AreniteError
from arenite.firmware.device import Device
from arenite.firmware.export import TUNED, export
from arenite.firmware.flash_reads import FlashReads, flash_reads, icache_of
from arenite.firmware.measurements import can_emulate
from arenite.firmware.plan.golden import sample
from arenite.firmware.times import time_on
from arenite.formats import Source, model_of
from arenite.model import Model
from arenite.target import Target, find_target

#: What names in C begin with.
_NAME = "model"


@dataclass(frozen=True)
class FirmwareSize:
    """Memory and time of a model as firmware without an interpreter.

    Attributes:
        processor: Whose.
        arena_bytes: RAM, all scratch memory included.
        constant_bytes: Weights and tables in flash.
        code_bytes: Functions, as zig's clang makes them with -Os; None where nothing was built:
            that takes the extra ``board`` and an emulated core.
        stack_bytes: The deepest that the stack of an inference was; None where nothing ran.
        cycles: Of an inference, for memory that never makes the processor wait; None where
            nothing ran, or the processor's are not known.
        instructions: Of an inference; 0 where nothing ran.
        layers: Number of layers.
        reads: What flash adds to it, where caches of the board's chip are known.
        reason: Why the model cannot be exported; empty if it can.
    """

    processor: str
    arena_bytes: int = 0
    constant_bytes: int = 0
    code_bytes: int | None = None
    stack_bytes: int | None = None
    cycles: int | None = None
    instructions: int = 0
    layers: int = 0
    reads: FlashReads | None = None
    reason: str = ""

    @property
    def flash_bytes(self) -> int | None:
        """Constants and code; None where the code is not known."""
        return None if self.code_bytes is None else self.constant_bytes + self.code_bytes

    @property
    def work(self) -> Running | None:
        """Quantities of an inference; None where nothing ran, or its cycles are not known."""
        if self.cycles is None:
            return None
        return Running(self.cycles, self.instructions, self.constant_bytes, self.layers)

    def needs(self, fit: Fit) -> tuple[Need, ...]:
        """RAM, flash and time next to the limits of a fit: what an export's own verdict is of."""
        ram, flash, until = (fit.need(name) for name in ("RAM", "flash", "time"))
        time = time_on(
            *(self.work, self.processor, fit.board, fit.clock),
            reads=self.reads,
            limit=until.limit,
        )
        stack = "" if self.stack_bytes is None else f"{self.stack_bytes:,} bytes of stack beside it"
        arena = {"arena": float(self.arena_bytes)}
        return (
            Need("RAM", "bytes", arena, ram.limit, stack, where=ram.where),
            self._flash(flash.limit),
            time,
        )

    def _flash(self, limit: float | None) -> Need:
        constants = float(self.constant_bytes)
        if self.code_bytes is None:
            note = f"constants take {constants:,.0f} bytes; code is built with the extra board"
            return Need("flash", "bytes", {}, limit, note, is_known=False, low=constants)
        parts = {"constants": constants, "code": float(self.code_bytes)}
        return Need("flash", "bytes", parts, limit, "code by zig's clang, -Os")


def firmware_size(
    model: Model | Source, target: Target | str = DEFAULT, board: Board | None = None
) -> FirmwareSize:
    """Size and time of what :func:`arenite.export` would write of a model.

    It is built where there is an emulated core, and run there if it has kernels of its own: plain C
    takes ten times the instructions, which nobody waits for. A model that cannot be exported has
    the reason. Loops are unrolled for a board's cache of instructions, where that is known.
    """
    processor, found = find_target(target).processor, model_of(model)
    icache = icache_of(board)
    with tempfile.TemporaryDirectory(prefix="arenite-") as into:
        folder = Path(into) / "firmware"
        emulate = processor in TUNED
        try:
            made = export(found, folder, target=target, name=_NAME, emulate=emulate, icache=icache)
        except AreniteError as error:
            return FirmwareSize(processor, reason=str(error))
        sizes = FirmwareSize(processor, made.arena_bytes, made.constant_bytes)
        if (figures := made.figures) is not None:
            cycles = figures.cycles or None
            has_caches = icache is not None and cycles is not None
            return replace(
                sizes,
                code_bytes=figures.code_bytes,
                stack_bytes=figures.stack_bytes,
                cycles=cycles,
                instructions=figures.instructions,
                layers=len(made.layers),
                reads=_reads(folder, found, board, sizes, figures.cycles) if has_caches else None,
            )
        if not can_emulate(processor):
            return sizes
        return replace(sizes, code_bytes=Device(folder, _NAME, processor).code_bytes)


def _reads(
    folder: Path, model: Model, board: Board | None, size: FirmwareSize, cycles: int
) -> FlashReads | None:
    """Waits for flash in an inference of the first inputs, where a board's caches are known."""
    device = Device(folder, _NAME, size.processor)
    inputs = [array.tobytes() for array in sample(model.inputs, 0)]

    def invoke() -> None:
        for index, data in enumerate(inputs):
            device.write(index, data)
        device.invoke_uncounted()

    return flash_reads(device.machine, invoke, board, cycles)


def size_facts(size: FirmwareSize, fit: Fit) -> dict[str, Any]:
    """Facts of it in ``arenite fit --export --json``; see ``docs/cli.md`` for the keys."""
    facts = {**asdict(size), "flash_bytes": size.flash_bytes, "reason": size.reason or None}
    if size.reason:
        return {**facts, "milliseconds": None, "needs": [], "outcome": "does not fit"}
    needs = size.needs(fit)
    return {
        **facts,
        "milliseconds": needs[-1].total,
        "needs": [need_facts(one) for one in needs],
        "outcome": outcome_of(needs),
    }
