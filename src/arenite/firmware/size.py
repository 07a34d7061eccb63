"""Size of what ``arenite export`` would write of a model, without a folder that stays."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arenite.cores import DEFAULT
from arenite.errors import AreniteError
from arenite.firmware.device import Device
from arenite.firmware.export import TUNED, export
from arenite.firmware.measurements import can_emulate
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
        reason: Why the model cannot be exported; empty if it can.
    """

    processor: str
    arena_bytes: int = 0
    constant_bytes: int = 0
    code_bytes: int | None = None
    stack_bytes: int | None = None
    cycles: int | None = None
    reason: str = ""

    @property
    def flash_bytes(self) -> int | None:
        """Constants and code; None where the code is not known."""
        return None if self.code_bytes is None else self.constant_bytes + self.code_bytes

    def milliseconds(self, clock: float | None) -> float | None:
        """At a clock in MHz, if memory never makes the processor wait."""
        return None if self.cycles is None or clock is None else self.cycles / clock / 1000


def firmware_size(model: Model | Source, target: Target | str = DEFAULT) -> FirmwareSize:
    """Size and time of what :func:`arenite.export` would write of a model.

    It is built where there is an emulated core, and run there if it has kernels of its own: plain C
    takes ten times the instructions, which nobody waits for. A model that cannot be exported has
    the reason.
    """
    processor, found = find_target(target).processor, model_of(model)
    with tempfile.TemporaryDirectory(prefix="arenite-") as into:
        folder = Path(into) / "firmware"
        try:
            made = export(found, folder, target=target, name=_NAME, emulate=processor in TUNED)
        except AreniteError as error:
            return FirmwareSize(processor, reason=str(error))
        sizes = FirmwareSize(processor, made.arena_bytes, made.constant_bytes)
        if (figures := made.figures) is not None:
            cycles = figures.cycles or None
            return replace(
                sizes, code_bytes=figures.code_bytes, stack_bytes=figures.stack_bytes, cycles=cycles
            )
        if not can_emulate(processor):
            return sizes
        return replace(sizes, code_bytes=Device(folder, _NAME, processor).code_bytes)


def size_facts(size: FirmwareSize, clock: float | None) -> dict[str, Any]:
    """Facts of it in ``arenite fit --export --json``; see ``docs/cli.md`` for the keys."""
    facts = {**asdict(size), "flash_bytes": size.flash_bytes}
    return {**facts, "milliseconds": size.milliseconds(clock), "reason": size.reason or None}
