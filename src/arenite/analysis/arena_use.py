"""A model's use of an arena."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from arenite.memory.plan import MemoryPlan, PlannedBuffer
from arenite.memory.recording import Allocations, Peak
from arenite.model import Model
from arenite.ops import OpResolver, resolver_of
from arenite.runtime.allocation import arena_peak
from arenite.runtime.interpreter_config import Setup
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import Target


@dataclass(frozen=True)
class Firmware:
    """Choices that decide on the arena besides the model."""

    planner: str
    target: Target

    def __str__(self) -> str:
        return f"{self.target}, {self.planner} planner"


@dataclass(frozen=True)
class ArenaUse:
    """A model's use of an arena of ``arena`` bytes; ``firmware`` is what it is built as."""

    file: str
    firmware: Firmware
    arena: int
    plan: MemoryPlan
    allocations: Allocations

    @property
    def smallest(self) -> int:
        """Bytes of the smallest arena that works."""
        return self.allocations.peak.smallest_arena

    @property
    def temp(self) -> int:
        """Bytes that only allocation needs, beyond what head and tail take afterwards."""
        return max(self.smallest - self.allocations.total, 0)

    @property
    def free(self) -> int:
        """Bytes that are never used."""
        return self.arena - self.allocations.total - self.temp

    @property
    def head_buffers(self) -> list[PlannedBuffer]:
        """The buffers that share the head."""
        return [buffer for buffer in self.plan.buffers if buffer.kind != "variable"]


def needed_by(model: Model, firmware: Firmware, resolver: OpResolver | None = None) -> Peak:
    """Allocations that make the smallest arena so large; ``resolver`` finds operators, if given.

    Raises:
        UnsupportedOperatorError: There is no kernel for some operators.
        ConstraintError: An operator cannot run what the model asks of it.
    """
    setup = Setup.of(firmware.target, planner=firmware.planner)
    return arena_peak(model, resolver, setup)


def arena_use(model: Model, firmware: Firmware, size: int) -> ArenaUse:
    """A model's use of an arena of ``size`` bytes.

    Raises:
        ArenaError: It is too small.
    """
    micro = MicroInterpreter(
        model, resolver_of(model), size, target=firmware.target, planner=firmware.planner
    )
    micro.allocate_tensors()
    return ArenaUse(model.source, firmware, size, micro.plan, micro.allocations())


def arena_facts(use: ArenaUse) -> dict[str, Any]:
    """Everything that ``arenite memory`` prints; see ``docs/cli.md`` for the keys."""
    allocations = use.allocations.to_dict()
    return {
        **small_arena_facts(use.file, use.firmware, use.arena, use.allocations.peak),
        "fits": True,
        "total": use.allocations.total,
        "head": use.allocations.head,
        "temp": use.temp,
        "tail": use.allocations.tail,
        "free": use.free,
        "buffers": [asdict(buffer) for buffer in use.plan.buffers],
        "tail_categories": allocations["categories"],
        "tail_records": allocations["records"],
    }


def small_arena_facts(file: str, firmware: Firmware, arena: int, peak: Peak) -> dict[str, Any]:
    """Facts of an arena that is too small: the first keys of the others."""
    return {
        "file": file,
        **asdict(firmware),
        "fits": False,
        "arena": arena,
        "smallest_arena": peak.smallest_arena,
        "set_by": peak._asdict(),
    }
