"""Random networks as firmware, many of them, next to the reference.

Architectures are those of ``tests/optimize``: branches, residuals, odd channel counts, strides,
channels that never change. Here layers have any fused activation, and scales that differ by
thousands.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from arenite.emulator.machine import Machine
from arenite.firmware.build import build
from arenite.firmware.export import ASSEMBLED, KERNELS, TUNED, export
from arenite.firmware.plan.program import program_of
from arenite.model import Model
from tests.firmware.boards import CORES
from tests.firmware.built import exported_or_plain, one_file
from tests.firmware.bulk import Tally
from tests.firmware.stacks import STACK, inference_stack
from tests.firmware.streaming.chains import Folder, grouped, self_tests, write
from tests.optimize.layers import Layers, Value
from tests.optimize.networks import KINDS, network

#: Programs that are compiled and run together.
_TOGETHER = 20
#: What a board is asked for, in turn.
_BUDGETS: tuple[Mapping[str, Any], ...] = (
    {},
    {"flash": 1 << 22},
    {"least": "ram"},
    {"inputs": "kept"},
    {"least": "flash"},
    {"least": "time", "inputs": "rows"},
)


class Wild(Layers):
    """Layers with any fused activation; an eighth to eight times the usual scales, or more."""

    def conv(self, *inputs: Any, **how: Any) -> Value:
        return super().conv(*inputs, **self._wild(how))

    def depthwise(self, *inputs: Any, **how: Any) -> Value:
        return super().depthwise(*inputs, **self._wild(how))

    def dense(self, *inputs: Any, **how: Any) -> Value:
        return super().dense(*inputs, **self._wild(how))

    def add(self, *inputs: Any, **how: Any) -> Value:
        return super().add(*inputs, **self._wild(how))

    def mul(self, *inputs: Any, **how: Any) -> Value:
        return super().mul(*inputs, **self._wild(how))

    def pool(self, *inputs: Any, **how: Any) -> Value:
        return super().pool(*inputs, **self._wild(how))

    def _wild(self, how: dict[str, Any]) -> dict[str, Any]:
        return {**how, "activation": int(self.rng.integers(4))}

    def _scale(self) -> float:
        reach = 8.0 if self.chance(0.2) else 3.0
        return float(super()._scale() * 2 ** self.rng.uniform(-reach, reach))


def wild(seed: int) -> Model:
    """The int8 network of a seed, of one kind after the other."""
    kinds = sorted(KINDS)
    return network(seed, kinds[seed % len(kinds)], "int8", Wild)


def networks_compared(on: str, count: int, seed: int = 0) -> Iterator[Tally]:
    """So many networks that can be exported, some at a time.

    Every layer, output and constant of every network is compared by its self-test, on four inputs;
    on a core with kernels of its own they are exported for it, within budgets in turn.
    """
    core = CORES.get(on, "host")
    for first in range(seed, seed + count, _TOGETHER):
        seeds = range(first, min(first + _TOGETHER, seed + count))
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            place = Path(folder)
            folders = [_written(core, one, place) for one in seeds]
            if on == "host":
                yield self_tested(folders, place / "src")
            else:
                yield _on_core(core, folders, place)


def _written(processor: str, seed: int, folder: Path) -> Folder:
    """Every third in plain C or in assembly for DSP instructions has its layers in random groups
    that go row by row; else there is a budget where the core has kernels of its own.
    """
    model, name = wild(seed), f"m{seed}"
    place = folder / "src" / name
    if seed % 3 == 0 and (processor in ASSEMBLED or processor not in TUNED):
        return write(grouped(model, seed, KERNELS[processor]), model, place)
    if processor not in TUNED:
        return write(program_of(model, KERNELS[processor], name), model, place)
    ask = partial(export, model, place, target=processor, name=name)
    return exported_or_plain(ask, **_BUDGETS[seed // len(KINDS) % len(_BUDGETS)])


def self_tested(folders: Sequence[Folder], folder: Path) -> Tally:
    """What the self-tests of folders below one say, on this machine."""
    printed = self_tests(folder, folders)
    wrong = [one.name for one in folders if f"PASS {one.name}:" not in printed]
    different = [f"{name}: {printed[-1000:]}" for name in wrong]
    return Tally(equal=len(folders) - len(wrong), different=different)


def _on_core(processor: str, folders: Sequence[Folder], folder: Path) -> Tally:
    """What is wrong with each, and the deepest stack of an inference."""
    for one in folders:
        one_file(folder / "src", one.name, one.name)
        if (Path(one.folder) / "src" / "kernels.S").exists():
            assembly = f'#include "{one.name}/src/kernels.S"\n'
            (folder / "src" / f"{one.name}_kernels.S").write_text(assembly)
    core = Machine(build(folder, folder, processor), processor)
    tally = Tally()
    for one in folders:
        failures = core.call(f"{one.name}_selftest", core.pointer("board_print"))
        stack = inference_stack(core, one.name, Path(one.folder) / "src" / "model.h")
        tally.stack = max(tally.stack, stack)
        if failures:
            tally.different.append(f"{one.name}: {failures} failures")
        elif stack > STACK:
            tally.different.append(f"{one.name}: {stack} bytes of stack, expected at most {STACK}")
        else:
            tally.equal += 1
    return tally
