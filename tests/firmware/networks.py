"""Random networks as firmware, many of them, next to the reference.

Architectures are those of ``tests/optimize``: branches, residuals, odd channel counts, strides,
channels that never change. Here layers have any fused activation, and scales that differ by
thousands.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from arenite.emulator.machine import Machine
from arenite.firmware.build import build
from arenite.firmware.export import TUNED, export
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.plan.program import program_of
from arenite.model import Model
from tests.firmware.boards import CORES
from tests.firmware.built import TESTED
from tests.firmware.bulk import Tally
from tests.firmware.stacks import STACK, inference_stack
from tests.firmware.streaming.chains import Folder, grouped, self_tests, write
from tests.optimize.layers import Layers, Value
from tests.optimize.networks import KINDS, network

#: Writes a network's folder into another one.
Writer = Callable[[Path], Folder]
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
    write_next = _exports(core, seed) if core in TUNED else _programs(seed)
    for first in range(0, count, _TOGETHER):
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            place = Path(folder)
            writers = islice(write_next, min(_TOGETHER, count - first))
            yield _as_c(on, [one(place) for one in writers], place)


def _exports(processor: str, seed: int) -> Iterator[Writer]:
    while True:
        budget = _BUDGETS[seed // len(KINDS) % len(_BUDGETS)]
        yield partial(_exported, wild(seed), processor, f"m{seed}", budget)
        seed += 1


def _exported(
    model: Model, processor: str, name: str, budget: Mapping[str, Any], folder: Path
) -> Folder:
    place = folder / "src" / name
    try:
        return export(model, place, target=processor, name=name, **budget)
    except ValueError as error:
        if budget.get("inputs") != "rows" or "row" not in str(error):
            raise
        return export(model, place, target=processor, name=name)  # the first layer needs all rows


def _programs(seed: int) -> Iterator[Writer]:
    """Plain C, every third with its layers in random groups that go row by row."""
    while True:
        yield partial(_written, wild(seed), seed)
        seed += 1


def _written(model: Model, seed: int, folder: Path) -> Folder:
    if seed % 3:
        program = program_of(model, portable_work, f"m{seed}")
    else:
        program = grouped(model, seed, portable_work)
    return write(program, model, folder / "src" / program.name)


def _as_c(on: str, folders: Sequence[Folder], folder: Path) -> Tally:
    if on == "host":
        printed = self_tests(folder / "src", folders)
        passed = {one.name: f"PASS {one.name}:" in printed for one in folders}
        wrong = [f"{name}: {printed[-1000:]}" for name, right in passed.items() if not right]
    else:
        return _on_core(on, folders, folder)
    return Tally(equal=len(folders) - len(wrong), different=wrong)


def _on_core(on: str, folders: Sequence[Folder], folder: Path) -> Tally:
    """What is wrong with each, and the deepest stack of an inference."""
    for one in folders:  # one file to compile for each, which saves most of the time
        included = [f'#include "{one.name}/{name}"\n' for name in TESTED]
        (folder / "src" / f"{one.name}_all.c").write_text("".join(included))
        if (Path(one.folder) / "src" / "kernels.S").exists():
            assembly = f'#include "{one.name}/src/kernels.S"\n'
            (folder / "src" / f"{one.name}_kernels.S").write_text(assembly)
    core = Machine(build(folder, folder, CORES[on]), CORES[on])
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
