"""Random networks as firmware, many of them, next to the reference.

Architectures are those of ``tests/optimize``: branches, residuals, odd channel counts, strides,
channels that never change. Here layers have any fused activation, and scales that differ by
thousands.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from arenite.errors import UnsupportedOperatorError
from arenite.firmware.build import build
from arenite.firmware.machine import Machine
from arenite.firmware.portable import portable_work
from arenite.firmware.program import Program, program_of
from arenite.firmware.trial import trial
from arenite.model import Model
from tests.firmware.boards import CORES, RISCV
from tests.firmware.bulk import Tally
from tests.firmware.built import TESTED
from tests.firmware.riscv import Core, built
from tests.firmware.streaming.chains import Folder, grouped, self_tests, write
from tests.optimize.layers import Layers, Value
from tests.optimize.networks import KINDS, network

#: Programs of plain C that are compiled and run together.
_TOGETHER = 20
#: What an inference's stack may take on an emulated core, in bytes.
STACK = 400
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
    """So many networks that can be exported, one after the other or some at a time.

    Every layer and output of every network is compared; on a core with the DSP extension on six
    inputs, as C by its self-test on four.
    """
    if on in ("m4", "m7", "m33"):
        yield from _on_board(CORES[on], count, seed)
        return
    found = _programs(seed)
    for first in range(0, count, _TOGETHER):
        some = [next(found) for _ in range(min(_TOGETHER, count - first))]
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            yield _as_c(on, some, Path(folder))


def _on_board(processor: str, count: int, seed: int) -> Iterator[Tally]:
    done = 0
    for number in range(seed, seed + 20 * count):
        budget = _BUDGETS[number // len(KINDS) % len(_BUDGETS)]
        tally = _tried(wild(number), processor, budget, number)
        done += tally.equal + len(tally.different)
        yield tally
        if done == count:
            return


def _tried(model: Model, processor: str, budget: Mapping[str, Any], number: int) -> Tally:
    try:
        result = trial(model, processor, runs=6, **budget)
    except UnsupportedOperatorError as error:
        return Tally(refused={str(error).splitlines()[-1].strip(): 1})
    except ValueError as error:
        if budget.get("inputs") != "rows" or "row" not in str(error):
            raise
        return _tried(model, processor, {}, number)  # its first layer needs all rows
    wrong = [f"network {number}, {dict(budget)}: {text}" for text in result.differences]
    if result.stack_bytes > STACK:
        wrong.append(f"network {number}: {result.stack_bytes} bytes of stack")
    return Tally(equal=int(not wrong), different=wrong)


def _programs(seed: int) -> Iterator[tuple[Program, Model]]:
    """Every third with its layers in random groups that go row by row."""
    while True:
        model, seed = wild(seed), seed + 1
        try:
            if seed % 3:
                yield program_of(model, portable_work, f"m{seed - 1}"), model
            else:
                yield grouped(model, seed - 1, portable_work), model
        except UnsupportedOperatorError:
            continue


def _as_c(on: str, programs: Iterable[tuple[Program, Model]], folder: Path) -> Tally:
    folders = [write(one, model, folder / "src" / one.name) for one, model in programs]
    if on == "host":
        printed = self_tests(folder / "src", folders)
        passed = {one.name: f"PASS {one.name}:" in printed for one in folders}
        wrong = [f"{name}: {printed[-1000:]}" for name, right in passed.items() if not right]
    else:
        results = _on_core(on, folders, folder)
        wrong = [f"{name}: {why}" for name, why in results.items() if why]
    return Tally(equal=len(folders) - len(wrong), different=wrong)


def _on_core(on: str, folders: Iterable[Folder], folder: Path) -> dict[str, str]:
    """What is wrong with each."""
    for one in folders:  # one file to compile for each, which saves most of the time
        included = [f'#include "{one.name}/{name}"\n' for name in TESTED]
        (folder / "src" / f"{one.name}_all.c").write_text("".join(included))
    core: Core | Machine
    if on == RISCV:
        core = Core(built(folder / "src"))
    else:
        core = Machine(build(folder, folder, CORES[on]), CORES[on])
    return {one.name: _self_test(core, one.name) for one in folders}


def _self_test(core: Core | Machine, name: str) -> str:
    failures = core.call(f"{name}_selftest", core.address("board_print") | 1)
    if failures:
        return f"{failures} failures"
    if isinstance(core, Machine) and core.stack_bytes() > STACK:
        return f"{core.stack_bytes()} bytes of stack"
    return ""
