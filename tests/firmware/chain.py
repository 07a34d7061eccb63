"""``python -m tests.firmware.chain``: optimised, exported, built, run, next to the original.

``--count`` random models, half of them of single operators and half networks, as C on this machine
under sanitizers; ``--boards`` random networks and ``--shared`` models on an emulated Cortex-M4.
Options of both commands go round. A number is a seed: ``--first 17 --count 1`` is model 17 again.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arenite.errors import AreniteError, UndefinedWarning
from arenite.firmware.export import _improved, export, layered
from arenite.firmware.kernels.portable import exported_names
from arenite.firmware.plan.budget import Budget
from arenite.firmware.plan.golden import is_equal, reference_of, run_once, sample
from arenite.firmware.plan.program import Program, program_from
from arenite.firmware.trial import trial
from arenite.formats import load, tflite
from arenite.model import Model
from arenite.ops.registry import mnn_names
from arenite.optimize.optimizer import optimize
from arenite.runtime.call_budget import CallBudget
from tests.firmware.bulk import Case, Tally, cases_of, compared
from tests.firmware.networks import wild
from tests.firmware.streaming.chains import Folder, self_tests
from tests.optimize.networks import network
from tests.shared import ROOT

#: What ``arenite optimize`` is asked for, in turn.
OPTIMIZED: tuple[Mapping[str, Any], ...] = (
    {},
    {"target": "cortex-m4"},
    {"target": "cortex-m4", "overlap": "target"},
    {"overlap": "portable", "strip": True},
    {"target": "cortex-m55", "overlap": "portable", "dilate": True},
    {"only": ("plan",), "overlap": "target"},
)
#: What ``arenite export`` is asked for, in turn.
EXPORTED: tuple[Mapping[str, Any], ...] = (
    {},
    {"inputs": "apart"},
    {"least": "ram"},
    {"inputs": "kept", "least": "ram"},
    {"optimize": False},
    {"flash": 1 << 22},
    {"least": "flash"},
    {"inputs": "rows", "least": "ram"},
    {"ram": 1 << 20, "inputs": "apart"},
)
_TOGETHER = 20


def optimized(model: Model, number: int) -> Model:
    """What ``arenite optimize`` writes, read again; MNN's operators are in no such file."""
    if model.format == "mnn" or any(one.name in mnn_names() for one in model.main.operators):
        return model
    how = dict(OPTIMIZED[number % len(OPTIMIZED)])
    result, _ = optimize(model, how.pop("target", None), seconds=1.0, verify=0, **how)
    return tflite.read(tflite.write(result), source=model.source)


# -- on this machine ----------------------------------------------------------------------


@dataclass(frozen=True)
class Chained(Case):
    """A case whose program is made of the optimised model, and whose outputs are the original's."""

    def program(self) -> Program:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            how = dict(EXPORTED[self.number % len(EXPORTED)])
            if how.get("inputs") == "rows":
                how = {"least": "ram"}  # whoever feeds these writes whole inputs
            made = layered(
                optimized(self.model, self.number), "host", optimize=how.pop("optimize", True)
            )
            budget = Budget(**how)
            improve = partial(_improved, processor="host", budget=budget)
            ask = partial(program_from, made.network, made.works, self.name)
            try:
                return ask(improve=improve, inputs=budget.inputs)
            except ValueError as error:
                if isinstance(error, AreniteError):
                    raise
                return ask()  # an output is an input's own bytes


def operators(count: int, first: int = 0) -> Iterator[Tally]:
    """So many models of single operators, of one operator after the other."""
    names = exported_names()
    each = -(-count // len(names))
    for name in names:
        if not count:
            return
        cases = list(cases_of(name, 2 * each + 2, None if first == 0 else first))[:each]
        found = [
            Chained(one.operator, number, one.model, one.steps, one.outputs)
            for number, one in enumerate(cases[:count], first + len(name))
        ]
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            yield compared(found, Path(folder))
        count -= len(found)


def networks(count: int, first: int = 0) -> Iterator[Tally]:
    """So many networks; every layer and output is compared by the self-test."""
    for start in range(first, first + count, _TOGETHER):
        numbers = range(start, min(start + _TOGETHER, first + count))
        with tempfile.TemporaryDirectory(prefix="arenite-") as folder:
            yield _networks(numbers, Path(folder))


def _networks(numbers: Sequence[int], folder: Path) -> Tally:
    tally, folders = Tally(), list[Folder]()
    for number in numbers:
        original = network_of_seed(number)
        model = optimized(original, number)
        tally.different += _changed(original, model, number)
        try:
            folders.append(_exported(model, number, folder))
        except AreniteError as error:
            why = str(error).splitlines()[-1].strip()
            tally.refused[why] = tally.refused.get(why, 0) + 1
    printed = self_tests(folder, folders) if folders else ""
    for one in folders:
        if f"PASS {one.name}:" in printed:
            tally.equal += 1
        else:
            tally.different.append(f"{one.name}: {printed[-1000:]}")
    return tally


def network_of_seed(number: int) -> Model:
    """One network in three has any activations and scales, one in six floats."""
    return wild(number) if number % 3 == 0 else network(number)


def _exported(model: Model, number: int, folder: Path) -> Folder:
    how, name = EXPORTED[number % len(EXPORTED)], f"m{number}"
    try:
        return export(model, folder / name, target=None, name=name, **how)
    except ValueError as error:
        if isinstance(error, AreniteError) or "inputs" not in how:
            raise
        return export(model, folder / name, target=None, name=name)  # rows cannot be delivered


def _changed(original: Model, model: Model, number: int) -> list[str]:
    """Where the optimised model's outputs are not the original's, on the self-test's inputs."""
    both = [reference_of(one, CallBudget(100_000)) for one in (original, model)]
    found = []
    for of in range(2):
        wanted, given = (run_once(one, sample(original.inputs, of)) for one in both)
        pairs = zip(wanted or (), given or (), strict=True)
        if not all(is_equal(a, np.asarray(b)) for a, b in pairs):
            found.append(f"m{number}: optimize changed its outputs")
    return found


# -- on an emulated core ------------------------------------------------------------------


def on_board(model: Model, number: int, processor: str = "cortex-m4", runs: int = 2) -> Tally:
    """A model through optimize, export and the emulated core, next to the reference."""
    how, different = EXPORTED[number % len(EXPORTED)], list[str]()
    try:
        result = optimized(model, number)
        different += _changed(model, result, number)
        try:
            done = trial(result, processor, runs, **how)
        except ValueError as error:
            if isinstance(error, AreniteError) or "inputs" not in how:
                raise
            done = trial(result, processor, runs)
    except AreniteError as error:
        return Tally(refused={str(error).splitlines()[-1].strip()[:120]: 1}, different=different)
    different += [f"{model.source or number} {how}: {one}" for one in done.differences]
    return Tally(equal=0 if different else 1, different=different)


def boards(count: int, first: int = 0) -> Iterator[Tally]:
    """So many networks on an emulated Cortex-M4."""
    for number in range(first, first + count):
        yield on_board(network_of_seed(number), number)


def shared(slow: bool = False) -> Iterator[Tally]:
    """All models beside the repository, with options in turn; those of floats where asked."""
    files = sorted([*ROOT.glob("models/*/*.tflite"), *ROOT.glob("wake_words/*.tflite")])
    for number, file in enumerate(files):
        if "float32" in file.stem and not slow:
            continue  # minutes each, without a unit for floats
        for turn in range(2):
            tally = on_board(load(file), number + 4 * turn)
            print(f"{file.stem:28} {tally.equal} equal {tally.refused or ''}", flush=True)
            yield tally


def main() -> int:
    """Exit code 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.firmware.chain", description=__doc__)
    parser.add_argument("--count", type=int, default=0, help="random models on this machine")
    parser.add_argument("--boards", type=int, default=0, help="networks on a Cortex-M4")
    parser.add_argument("--shared", action="store_true", help="the models beside the repository")
    parser.add_argument("--slow", action="store_true", help="those of float32 as well")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    options = parser.parse_args()
    parts = {
        "networks on the host": networks(options.count - options.count // 2, options.first),
        "operators on the host": operators(options.count // 2, options.first),
        "networks on a cortex-m4": boards(options.boards, options.first),
        "shared models on a cortex-m4": shared(options.slow) if options.shared else iter(()),
    }
    return max([_run(name, part, options.first) for name, part in parts.items()])


def _run(name: str, part: Iterator[Tally], first: int) -> int:
    total = Tally()
    for number, tally in enumerate(part):
        total.equal += tally.equal
        total = replace(total, different=[*total.different, *tally.different])
        for text in tally.different:
            print(f"  DIFFERENT {text}", flush=True)
        for why, count in tally.refused.items():
            total.refused[why] = total.refused.get(why, 0) + count
        if number % 10 == 9:
            print(f"{name}: {total.equal} equal so far", flush=True)
    if total != Tally():
        refused = sum(total.refused.values())
        counts = f"{total.equal} equal, {len(total.different)} different, {refused} refused"
        print(f"{name}, from seed {first}: {counts} {total.refused or ''}", flush=True)
    return 1 if total.different else 0


if __name__ == "__main__":
    raise SystemExit(main())
