"""A model's firmware on an emulated board, next to the reference on the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from arenite.analysis.fit import need_facts
from arenite.analysis.needs import Need
from arenite.analysis.time_range import Running
from arenite.boards.board import Board as BoardFacts
from arenite.emulator.machine import Count
from arenite.errors import BoardLimitError, LoopLimitError
from arenite.firmware.board import Board, exported_folder
from arenite.firmware.compiler.toolchain import DEFAULT as ZIG
from arenite.firmware.compiler.toolchain import Toolchain
from arenite.firmware.compiler.zig import Headers
from arenite.firmware.device import SECONDS, LayerRun
from arenite.firmware.flash_reads import FlashReads, why_unknown
from arenite.firmware.folder.exported import Export, why_plain
from arenite.firmware.measurements import by_layer, passed
from arenite.firmware.plan.budget import Least
from arenite.firmware.plan.golden import (
    SAMPLES,
    is_equal,
    reference_of,
    run_once,
    sample,
    tensor_of,
)
from arenite.firmware.plan.layout import Inputs
from arenite.firmware.times import time_on
from arenite.formats import Source
from arenite.model import Model, Tensor
from arenite.ops.context import Array
from arenite.optimize.loops import call_budget
from arenite.runtime.heap_host import HeapInterpreter


@dataclass(frozen=True)
class LayerTrial:
    """The cost of a layer; ``cycles`` are an estimate, ``reason`` says why it is plain C."""

    index: int
    name: str
    function: str
    instructions: int
    cycles: int
    reason: str = ""


@dataclass(frozen=True)
class Trial:
    """Cost of a firmware, and whether it computes what the reference computes.

    Attributes:
        file: The model's file.
        processor: The emulated core.
        runs: How many inferences were compared.
        instructions: Of one inference; they do not depend on data but for branches of C.
        cycles: The estimate of ``arenite cost``'s rule.
        arena_bytes: RAM with all scratch memory.
        stack_bytes: The deepest that the stack was.
        constant_bytes: Constants in flash.
        code_bytes: Functions in flash.
        self_test: What the self-test printed.
        differences: Where results differ from the reference's, and what the self-test says.
        layers: One record each.
        library: Whose kernels ran: ``"arenite"``, or ``"tflm"`` for TFLM's with CMSIS-NN.
        reads: What flash adds on the board that was named.
        reads_reason: Why lines of flash are not counted there.
        time: Of an inference on the board that was named; None without one.
        static_bytes: RAM of users' kernels in C++ beside the arena.
        built: The compiler and its level.
    """

    file: str
    processor: str
    runs: int
    instructions: int
    cycles: int
    arena_bytes: int
    stack_bytes: int
    constant_bytes: int
    code_bytes: int
    self_test: str
    differences: tuple[str, ...]
    layers: tuple[LayerTrial, ...]
    library: str = "arenite"
    reads: FlashReads | None = None
    reads_reason: str = ""
    static_bytes: int = 0
    time: Need | None = None
    built: str = str(ZIG)

    @property
    def equal(self) -> bool:
        """Whether every layer and output was the reference's, and the self-test passed."""
        return not self.differences

    @property
    def flash_bytes(self) -> int:
        """Constants and code."""
        return self.constant_bytes + self.code_bytes


def trial(
    model: Model | Source,
    processor: str | None = None,
    runs: int = 4,
    *,
    flash: int | None = None,
    ram: int | None = None,
    least: Least | None = None,
    inputs: Inputs = "overwritten",
    icache: int | None = None,
    optimize: bool = True,
    limit: int | None = None,
    on: BoardFacts | None = None,
    headers: Headers | None = None,
    toolchain: Toolchain = ZIG,
    seconds: float | None = SECONDS,
    tell: Callable[[int, float], None] | None = None,
) -> Trial:
    """Export, build, run and compare; a folder that was exported is built and run as it stands.

    Inputs are those of the self-test, then noise. Of a folder there is no model to compare with:
    its self-test has what four inferences shall give, layer by layer. ``on`` is the board whose
    flash and caches count; ``headers`` what the C++ of a folder is compiled against; the
    ``toolchain`` compiles. A call may take ``limit`` instructions and so many ``seconds``; ``tell``
    is told of one that goes on.

    Raises:
        BoardLimitError: Loops, or a call of the firmware, go on for too long.
        BoardError: Unicorn or ziglang is missing, or the firmware does what it must not.
        UnsupportedOperatorError: Some layers cannot be exported.
    """
    budget: dict[str, Any] = {
        "flash": flash,
        "ram": ram,
        "least": least,
        "inputs": inputs,
        "icache": icache,
    }
    rest: dict[str, Any] = {
        "optimize": optimize,
        "limit": limit,
        "headers": headers,
        "toolchain": toolchain,
    }
    rest |= {"seconds": seconds, "tell": tell}
    board = Board(model, processor, **budget, **rest)
    if exported_folder(model) is None:
        try:
            differences, layers = _compared(board, runs)
        except LoopLimitError as error:
            raise BoardLimitError(f"the reference: {error}") from None
    else:
        differences, layers, runs = [], board.layers(*trial_inputs(board.model, 1)[0]), SAMPLES
    board(*trial_inputs(board.model, 1)[0])
    count, stack = board.count, board.stack_bytes
    reads = board.flash_reads(on)
    printed = board.self_test()
    if not passed(printed):
        differences += [line for line in printed.splitlines() if "FAIL" in line] or ["no PASS"]
    return Trial(
        file=board.model.source,
        processor=board.processor,
        runs=runs,
        instructions=count.instructions,
        cycles=count.cycles,
        arena_bytes=board.export.arena_bytes,
        stack_bytes=stack,
        constant_bytes=board.export.constant_bytes,
        code_bytes=board.code_bytes,
        self_test=printed,
        differences=tuple(differences),
        layers=tuple(_layers(board, layers)),
        reads=reads,
        reads_reason=why_unknown(on),
        static_bytes=board.static_bytes,
        time=time_of(work_of(count, board.export), board.processor, on, reads),
        built=str(toolchain),
    )


def work_of(count: Count, made: Export) -> Running:
    """Running of an inference of an export."""
    return Running(count.cycles, count.instructions, made.constant_bytes, len(made.layers))


def time_of(
    work: Running, processor: str, on: BoardFacts | None, reads: FlashReads | None
) -> Need | None:
    """Time of an inference on the board that was named."""
    known = work if work.cycles else None
    return None if on is None else time_on(known, processor, on, on.clock, reads=reads)


def _compared(board: Board, runs: int) -> tuple[list[str], list[LayerRun]]:
    """Differences from the reference, and the last inference's layers."""
    differences, layers = [], list[LayerRun]()
    budget = call_budget(board.model)
    whole, layered = (reference_of(one, budget) for one in (board.model, board.layered))
    for number, arrays in enumerate(trial_inputs(board.model, runs)):
        run_once(layered, arrays)
        layers = board.layers(*arrays, is_counted=number == runs - 1)
        differences += _differences(board.layered, layered, layers, number)
        wanted, given = run_once(whole, arrays), board.outputs()
        if wanted is not None and not same_outputs(tuple(wanted), given):
            differences.append(f"inference {number}, outputs")
    return differences, layers


def trial_facts(result: Trial) -> dict[str, Any]:
    """Facts of ``arenite board --json``; see ``docs/cli.md`` for the keys."""
    time = None if result.time is None else need_facts(result.time)
    more = {"equal": result.equal, "flash_bytes": result.flash_bytes, "time": time}
    return {**asdict(result), **more}


def trial_inputs(model: Model, runs: int) -> list[list[Array]]:
    """The inputs of so many inferences: the self-test's, then noise."""
    found = [sample(model.inputs, number) for number in range(min(runs, SAMPLES))]
    rng = np.random.default_rng(0)
    return found + [[_noise(t, rng) for t in model.inputs] for _ in range(runs - len(found))]


def _noise(tensor: Tensor, rng: np.random.Generator) -> Array:
    dtype = tensor.type.dtype
    if dtype.kind == "f":
        return rng.normal(0, 2, tensor.shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, tensor.shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, tensor.shape, dtype, endpoint=True)


def same_outputs(one: Array | tuple[Array, ...], two: Array | tuple[Array, ...]) -> bool:
    """Whether outputs are equal."""
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (one, two)), strict=True)
    return all(is_equal(a, b) for a, b in pairs)


def _differences(
    model: Model, reference: HeapInterpreter, layers: list[LayerRun], number: int
) -> list[str]:
    """Where layers' results are not the reference's."""
    operators = model.main.operators
    wanted = ((op.name, tensor_of(reference, index)) for op in operators for index in op.outputs)
    given = ((run.index, run.result) for run in layers if run.result is not None)
    return [
        f"inference {number}, layer {index}, {name}"
        for (index, result), (name, array) in zip(given, wanted, strict=True)
        if not is_equal(array, np.frombuffer(result, array.dtype))
    ]


def _layers(board: Board, runs: list[LayerRun]) -> Iterator[LayerTrial]:
    """One record per layer."""
    counts = by_layer(runs, len(board.export.layers))
    for layer in board.export.layers:
        instructions, cycles = counts[layer.index]
        reason = why_plain(board.export.target, layer)
        yield LayerTrial(layer.index, layer.name, layer.function, instructions, cycles, reason)
