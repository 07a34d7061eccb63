"""What a folder's inference costs, from an emulated core where there is one."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from arenite.firmware.build import PROCESSORS, VECTORS
from arenite.firmware.device import Device, LayerRun
from arenite.firmware.machine import Count
from arenite.firmware.project import SOURCES
from arenite.firmware.qemu import is_installed


@dataclass(frozen=True)
class Figures:
    """Costs of a firmware. Cycles are ``arenite cost``'s estimate, for memory that never waits.

    Attributes:
        processor: The emulated core.
        instructions: Of an inference of the first inputs.
        cycles: Of the same.
        code_bytes: Functions in flash, as zig's clang makes them with -Os.
        stack_bytes: The deepest that the stack of an inference was, of ``NAME_invoke`` and all that
            it calls, on any of the inputs.
        equal: Whether the self-test passed: every layer, output and constant.
        layers: Instructions and cycles of every layer.
    """

    processor: str
    instructions: int
    cycles: int
    code_bytes: int
    stack_bytes: int
    equal: bool
    layers: tuple[Count, ...]


def can_emulate(processor: str) -> bool:
    """Whether there is all that an emulated core of that name takes."""
    if processor in VECTORS:
        return is_installed() and find_spec("ziglang") is not None
    return processor in PROCESSORS and all(map(find_spec, ("ziglang", "unicorn")))


def emulated(
    files: Mapping[str, str],
    name: str,
    layers: int,
    inputs: Sequence[Sequence[bytes]],
    processor: str,
    *,
    row_bytes: int = 0,
) -> Figures:
    """Figures of a folder's files.

    Args:
        files: Texts by path.
        name: What all names in C begin with.
        layers: How many there are.
        inputs: Bytes of the inputs of some inferences.
        processor: One that :func:`can_emulate`.
        row_bytes: Of a row of the input, where the firmware asks for rows.

    Raises:
        BoardError: The compiler does not take the folder, or the firmware left its memory.
    """
    with tempfile.TemporaryDirectory(prefix="arenite-") as temporary:
        folder = Path(temporary)
        (folder / SOURCES).mkdir()
        for path, text in files.items():
            if path.startswith(f"{SOURCES}/"):
                (folder / path).write_bytes(text.encode("utf-8"))
        return _figures(Device(folder, name, processor, row_bytes), layers, inputs)


def _figures(device: Device, layers: int, inputs: Sequence[Sequence[bytes]]) -> Figures:
    counts = by_layer(_observed(device, inputs[0]), layers)
    runs = [_run(device, one) for one in inputs]
    count, stack = runs[0][0], max(stack for _, stack in runs)
    printed = device.self_test()
    return Figures(
        device.processor,
        count.instructions,
        count.cycles,
        device.code_bytes,
        stack,
        passed(printed),
        counts,
    )


def passed(printed: str) -> bool:
    """Whether a self-test says PASS, and nowhere FAIL."""
    return "PASS" in printed and "FAIL" not in printed


def by_layer(runs: Sequence[LayerRun], layers: int) -> tuple[Count, ...]:
    """One count per layer, of all its outputs."""
    counts = [Count(0, 0)] * layers
    for run in runs:
        before = counts[run.index]
        counts[run.index] = Count(
            before.instructions + run.count.instructions, before.cycles + run.count.cycles
        )
    return tuple(counts)


def figures_facts(figures: Figures | None, constant_bytes: int) -> dict[str, Any]:
    """The figures as JSON; null where nothing was emulated."""
    if figures is None:
        keys = "emulated instructions cycles code_bytes flash_bytes stack_bytes equal"
        return dict.fromkeys(keys.split())
    return {
        "emulated": figures.processor,
        "instructions": figures.instructions,
        "cycles": figures.cycles,
        "code_bytes": figures.code_bytes,
        "flash_bytes": figures.code_bytes + constant_bytes,
        "stack_bytes": figures.stack_bytes,
        "equal": figures.equal,
    }


def _observed(device: Device, inputs: Sequence[bytes]) -> list[LayerRun]:
    for index, data in enumerate(inputs):
        device.write(index, data)
    return device.invoke_observed()


def _run(device: Device, inputs: Sequence[bytes]) -> tuple[Count, int]:
    """What an inference cost, and its stack."""
    for index, data in enumerate(inputs):
        device.write(index, data)
    return device.invoke(), device.stack_bytes
