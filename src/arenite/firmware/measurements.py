"""Cost of a folder's inference, from an emulated core where there is one."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from arenite.cores import CORES
from arenite.emulator.machine import Count
from arenite.emulator.qemu import is_installed
from arenite.files import save
from arenite.firmware.compiler.zig import Headers
from arenite.firmware.device import NO_LIMITS, Device, LayerRun, Limits
from arenite.firmware.folder.figures import Figures
from arenite.firmware.network.names import SOURCES
from arenite.processes.paths import find_package


def can_emulate(processor: str) -> bool:
    """Whether there is all that an emulated core of that name takes."""
    core = CORES.get(processor)
    if core is None or not core.is_emulated or find_package("ziglang") is None:
        return False
    return is_installed() if core.qemu else find_package("unicorn") is not None


def emulated(
    files: Mapping[str, str],
    name: str,
    layers: int,
    inputs: Sequence[Sequence[bytes]],
    processor: str,
    *,
    row_bytes: int = 0,
    headers: Headers | None = None,
    arena_bytes: int = 0,
    limits: Limits = NO_LIMITS,
) -> Figures:
    """Figures of a folder's files.

    Args:
        files: Texts by path.
        name: What all names in C begin with.
        layers: How many there are.
        inputs: Bytes of the inputs of some inferences.
        processor: One that :func:`can_emulate`.
        row_bytes: Of a row of the input, where the firmware asks for rows.
        headers: What users' kernels are compiled against, where there are some.
        arena_bytes: Of the arena.
        limits: What a call may take.

    Raises:
        BoardLimitError: A call takes more.
        BoardError: The compiler does not take the folder, or the firmware left its memory.
    """
    with tempfile.TemporaryDirectory(prefix="arenite-") as temporary:
        folder = Path(temporary)
        (folder / SOURCES).mkdir()
        for path, text in files.items():
            if path.startswith(f"{SOURCES}/"):
                save(folder / path, text.encode("utf-8"))
        device = Device(folder, name, processor, row_bytes, limits, headers=headers)
        found = _figures(device, layers, inputs)
        if headers is None:
            return found
        return replace(found, static_bytes=device.ram_bytes - arena_bytes)


class Measured(NamedTuple):
    """The first inference after ``NAME_init``, and the next one with the same inputs."""

    first_layers: tuple[Count, ...]
    layers: tuple[Count, ...]
    first: Count
    next: Count
    stack_bytes: int


def measured(device: Device, layers: int, inputs: Sequence[bytes]) -> Measured:
    """Cost of two inferences: layer by layer for whom it is told, else as a whole."""
    device.call("init")
    once, again = (by_layer(_observed(device, inputs), layers) for _ in range(2))
    device.call("init")
    (first, stack), (count, deeper) = (_run(device, inputs) for _ in range(2))
    return Measured(once, again, first, count, max(stack, deeper))


def _figures(device: Device, layers: int, inputs: Sequence[Sequence[bytes]]) -> Figures:
    found = measured(device, layers, inputs[0])
    count, stack = found.next, found.stack_bytes
    for others in inputs[1:]:  # only their stack is asked for
        _write(device, others)
        device.invoke_uncounted()
        stack = max(stack, device.stack_bytes)
    printed = device.self_test()
    return Figures(
        device.processor,
        count.instructions,
        count.cycles,
        device.code_bytes,
        stack,
        passed(printed),
        found.layers,
        found.first,
        found.first_layers,
    )


def passed(printed: str) -> bool:
    """Whether a self-test says PASS, and nowhere FAIL."""
    return "PASS" in printed and "FAIL" not in printed


def by_layer(runs: Sequence[LayerRun], layers: int) -> tuple[Count, ...]:
    """One count per layer, of all its outputs."""
    counts = [Count(0, 0)] * layers
    for run in runs:
        counts[run.index] = counts[run.index].plus(run.count)
    return tuple(counts)


def _observed(device: Device, inputs: Sequence[bytes]) -> list[LayerRun]:
    _write(device, inputs)
    return device.invoke_observed()


def _write(device: Device, inputs: Sequence[bytes]) -> None:
    for index, data in enumerate(inputs):
        device.write(index, data)


def _run(device: Device, inputs: Sequence[bytes]) -> tuple[Count, int]:
    """Cost of an inference, and its stack."""
    _write(device, inputs)
    return device.invoke(), device.stack_bytes
