"""A model's firmware on an emulated board, next to the reference on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from arenite.firmware.board import Board, LayerRun
from arenite.firmware.layers import network_of
from arenite.firmware.selftest import sample
from arenite.formats import Source, model_of
from arenite.model import Model, Tensor
from arenite.ops.context import Array
from arenite.runtime.interpreter import Interpreter


@dataclass(frozen=True)
class LayerTrial:
    """What a layer costs; ``cycles`` are an estimate."""

    index: int
    name: str
    function: str
    instructions: int
    cycles: int


@dataclass(frozen=True)
class Trial:
    """What a firmware costs, and whether it computes what the reference computes.

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
        differences: Where results differ from the reference's, and what the self-test says.
        layers: One record each.
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
    differences: tuple[str, ...]
    layers: tuple[LayerTrial, ...]

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
    processor: str = "cortex-m4",
    runs: int = 4,
    *,
    flash: int | None = None,
) -> Trial:
    """Export, build, run and compare.

    Inputs are those of the self-test, then noise.

    Raises:
        BoardError: Unicorn or ziglang is missing, or the firmware does what it must not.
        UnsupportedOperatorError: Some layers cannot be exported.
    """
    model = model_of(model)
    board = Board(model, processor, flash=flash)
    inputs = _inputs(model, runs)
    differences, layers = [], []
    whole, layered = Interpreter(model), Interpreter(board.layered, preserve_all_tensors=True)
    for number, arrays in enumerate(inputs):
        layered(*arrays)
        layers = board.layers(*arrays)
        differences += _differences(board.layered, layered, layers, number)
        if not _same(whole(*arrays), board.outputs()):
            differences.append(f"inference {number}, outputs")
    board(*inputs[0])
    stack = board.stack_bytes
    count = board.count
    printed = board.self_test()
    if "FAIL" in printed or "PASS" not in printed:
        differences.append(f"the self-test says {printed!r}")
    return Trial(
        file=model.source,
        processor=processor,
        runs=runs,
        instructions=count.instructions,
        cycles=count.cycles,
        arena_bytes=board.export.arena_bytes,
        stack_bytes=stack,
        constant_bytes=board.export.constant_bytes,
        code_bytes=board.code_bytes,
        differences=tuple(differences),
        layers=tuple(_layers(board, layers)),
    )


def trial_facts(result: Trial) -> dict[str, Any]:
    """What ``arenite board --json`` prints; see ``docs/cli.md`` for the keys."""
    return {**asdict(result), "equal": result.equal, "flash_bytes": result.flash_bytes}


def _inputs(model: Model, runs: int) -> list[list[Array]]:
    values = network_of(model).inputs
    found = [sample(values, number) for number in range(min(runs, 4))]
    rng = np.random.default_rng(0)
    return found + [[_noise(t, rng) for t in model.inputs] for _ in range(runs - len(found))]


def _noise(tensor: Tensor, rng: np.random.Generator) -> Array:
    dtype = tensor.type.dtype
    if dtype.kind == "f":
        return rng.normal(0, 2, tensor.shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, tensor.shape, dtype, endpoint=True)


def _same(one: Array | tuple[Array, ...], two: Array | tuple[Array, ...]) -> bool:
    """Whether outputs have the same bytes."""
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (one, two)), strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


def _differences(
    model: Model, reference: Interpreter, layers: list[LayerRun], number: int
) -> list[str]:
    """Where layers' results are not the reference's."""
    operators = model.main.operators
    wanted = (
        (op.name, reference.tensor(index).tobytes()) for op in operators for index in op.outputs
    )
    return [
        f"inference {number}, layer {run.index}, {name}"
        for run, (name, data) in zip(layers, wanted, strict=True)
        if run.result != data
    ]


def _layers(board: Board, runs: list[LayerRun]) -> Iterator[LayerTrial]:
    """One record per layer, whose cost is shared out over its outputs."""
    for layer in board.export.layers:
        counts = [run.count for run in runs if run.index == layer.index]
        instructions, cycles = (sum(one) for one in zip(*counts, strict=True))
        yield LayerTrial(layer.index, layer.name, layer.function, instructions, cycles)
