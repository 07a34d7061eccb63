"""Cost of an exported firmware: counted from its assembly, or on an emulated core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from arenite.analysis.needs import Need
from arenite.analysis.time_range import Running
from arenite.boards.board import Board as BoardFacts
from arenite.cores import CORES, DEFAULT
from arenite.emulator.machine import FLASH, RAM, Count
from arenite.firmware.board import Board
from arenite.firmware.export import chosen, layered, tflm_arena
from arenite.firmware.flash_reads import FlashReads, icache_of
from arenite.firmware.kernels.cortex_m.asm_cycles import PIPELINE, count_of
from arenite.firmware.measurements import Measured, can_emulate
from arenite.firmware.network.kernel import Constant, Scratch, UnsupportedError, Work, text_of
from arenite.firmware.network.layers import Value
from arenite.firmware.network.names import c_name
from arenite.firmware.plan.budget import Budget
from arenite.firmware.plan.golden import sample
from arenite.firmware.plan.program import Program
from arenite.firmware.times import time_on
from arenite.formats import Source, model_of
from arenite.model import Model
from arenite.target import find_target

#: Whose figures these are, as ``origin`` has them.
COUNTED, EMULATED = "counted", "emulated"


@dataclass(frozen=True)
class LayerCost:
    """A layer of a firmware.

    Attributes:
        index: Its number.
        name: The operator.
        function: The function that does it; empty where there is nothing to do.
        instructions: Of one inference; None where they are not known.
        cycles: The estimate of ``arenite cost``'s rule; None where it is not known.
        first_instructions: Of the first inference, in which CALL_ONCE and the like run.
        first_cycles: The same in cycles.
        origin: ``"counted"`` from the function's own assembly; ``"emulated"``, with the call and
            what tells of the layer; empty where neither is possible.
    """

    index: int
    name: str
    function: str
    instructions: int | None
    cycles: int | None
    origin: str
    first_instructions: int | None
    first_cycles: int | None


@dataclass(frozen=True)
class FirmwareCost:
    """A firmware's cost; sums are None where a layer's cost is not known.

    Attributes:
        file: The model's.
        processor: Whose.
        clock_mhz: Of the processor; None if none was said.
        layers: One record each.
        instructions: Of an inference that is not the first one.
        cycles: The same in cycles.
        first_instructions: Of the first inference.
        first_cycles: The same in cycles.
        constant_bytes: In flash.
        board: Where it runs; None if none was named.
        reads: What flash adds there, where caches of the board's chip are known.
    """

    file: str
    processor: str
    clock_mhz: float | None
    layers: tuple[LayerCost, ...]
    instructions: int | None
    cycles: int | None
    first_instructions: int | None
    first_cycles: int | None
    constant_bytes: int = 0
    board: BoardFacts | None = None
    reads: FlashReads | None = None

    @property
    def is_steady(self) -> bool:
        """Whether the first inference is like the next ones, as far as that is known."""
        return all(
            (one.first_instructions, one.first_cycles) == (one.instructions, one.cycles)
            for one in self.layers
        )

    @property
    def rest(self) -> tuple[int | None, int | None, int | None, int | None]:
        """Rest of the sums besides layers, of each kind as in a layer's row.

        It is what is between layers, less what tells of those that were emulated.
        """
        return (
            _rest(self.first_instructions, [one.first_instructions for one in self.layers]),
            _rest(self.first_cycles, [one.first_cycles for one in self.layers]),
            _rest(self.instructions, [one.instructions for one in self.layers]),
            _rest(self.cycles, [one.cycles for one in self.layers]),
        )

    @property
    def time(self) -> Need:
        """Of an inference, with waits for memory: the range that ``arenite fit --export`` has."""
        work = None
        if self.cycles is not None and self.instructions is not None:
            layers = len(self.layers)
            work = Running(self.cycles, self.instructions, self.constant_bytes, layers)
        return time_on(work, self.processor, self.board, self.clock_mhz, reads=self.reads)


def firmware_cost(
    model: Model | Source,
    processor: str = DEFAULT,
    clock_mhz: float | None = None,
    on: BoardFacts | None = None,
) -> FirmwareCost:
    """Cost of what ``arenite export`` would write, layer by layer.

    A function that is all in assembly is counted from its text, without running it: its
    instructions are those that a core runs. What is plain C, or calls assembly from C, depends on
    a compiler: it is emulated, where the extra ``board`` is installed and there is such a core.
    ``on`` is the board whose flash and caches count.

    Raises:
        UnsupportedOperatorError: Some layers cannot be exported; names them all.
        BoardError: The firmware does not build.
    """
    model = model_of(model)
    made = layered(model, processor, icache_of(on))
    budget = Budget(icache=icache_of(on), tflm=tflm_arena(model, find_target(processor)))
    program = chosen(made, processor, budget, c_name(model.source, None))
    counts = [count_layer(program, number) for number in range(len(program.works))]
    emulated, reads = _emulated(model, processor, on)
    if CORES[processor].pipeline != PIPELINE:
        # Its cycles are not those of the text, only its instructions.
        counts = [None if emulated or not one else Count(one.instructions, 0) for one in counts]
    layers = tuple(_layers(program, counts, emulated))
    first, total = (emulated.first, emulated.next) if emulated else (None, None)
    known = [layer for layer in layers if layer.cycles is not None]
    if total is None and len(known) == len(layers):
        first = total = Count(
            sum(layer.instructions or 0 for layer in known),
            sum(layer.cycles or 0 for layer in known),
        )
    return FirmwareCost(
        model.source,
        processor,
        clock_mhz,
        layers,
        total.instructions if total else None,
        _cycles(total),
        first.instructions if first else None,
        _cycles(first),
        program.constant_bytes,
        on,
        reads,
    )


def _rest(total: int | None, parts: list[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return total - sum(known) if total is not None and len(known) == len(parts) else None


def firmware_cost_facts(cost: FirmwareCost) -> dict[str, Any]:
    """Facts of ``arenite cost --library arenite --json``; see ``docs/cli.md`` for the keys."""
    board, time = None if cost.board is None else cost.board.name, cost.time
    ends = {"milliseconds": time.total, "low": time.least, "high": time.most}
    return {"library": "arenite", **asdict(cost), "board": board, **ends}


def count_layer(program: Program, number: int) -> Count | None:
    """One call of a layer's function, if all of it is assembly; nothing for no function."""
    routine = program.works[number].routine
    if program.group(number) is not None:
        return None
    if routine is None:
        return Count(0, 0)
    if routine.language != "s":
        return None
    text = text_of(routine, program.routines, program.name)
    try:
        return count_of(text, list(_addresses(program, number)))
    except UnsupportedError:
        return None


def _cycles(count: Count | None) -> int | None:
    """The estimate; None where the emulator has instructions and no estimate."""
    return None if count is None or (count.instructions and not count.cycles) else count.cycles


def _addresses(program: Program, number: int) -> Iterator[int]:
    """Arguments of a layer's function, in a memory of our own."""
    work: Work = program.works[number]
    scratch, layout = iter(program.layout.scratch[number]), program.layout
    for place, argument in enumerate(work.arguments):
        if isinstance(argument, Constant):
            yield FLASH + (place << 20)
        elif isinstance(argument, Scratch):
            yield RAM + next(scratch)
        elif isinstance(argument, Value):
            yield RAM + layout.tensors[argument.index]
        else:
            yield RAM + layout.states[argument]


def _emulated(
    model: Model, processor: str, on: BoardFacts | None
) -> tuple[Measured | None, FlashReads | None]:
    """All layers and inferences on an emulated core, where there is one, and what flash adds."""
    if not can_emulate(processor):
        return None, None
    icache = icache_of(on)
    board, inputs = Board(model, processor, icache=icache), sample(model.inputs, 0)
    found = board.measured([one.tobytes() for one in inputs])
    if icache is None:
        return found, None
    board(*inputs)
    return found, board.flash_reads(on)


def _layers(
    program: Program, counts: list[Count | None], emulated: Measured | None
) -> Iterator[LayerCost]:
    for layer, counted in zip(program.network.layers, counts, strict=True):
        first, count, origin = counted, counted, COUNTED
        if count is None and emulated is None:
            origin = ""
        elif count is None and emulated is not None:
            first, count = emulated.first_layers[layer.index], emulated.layers[layer.index]
            origin = EMULATED
        yield LayerCost(
            layer.index,
            layer.name,
            program.routines[routine] if (routine := program.routine(layer.index)) else "",
            count.instructions if count else None,
            _cycles(count),
            origin,
            first.instructions if first else None,
            _cycles(first),
        )
