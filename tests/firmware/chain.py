"""Models optimised, exported, built and run, next to the original.

Random models of single operators and random networks as C on this machine under sanitizers; random
networks and the models beside the repository on an emulated core. Options of both commands go
round. A number is a seed: ``python -m tests.firmware chain --seed 17 --count 1`` is model 17 again.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from tests.firmware.built import exported_or_plain
from tests.firmware.bulk import Case, Tally, cases_of, compared
from tests.firmware.networks import self_tested, wild
from tests.firmware.streaming.chains import Folder
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
            return exported_or_plain(ask, improve=improve, inputs=budget.inputs)


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
            tally.refuse(error)
    if folders:
        tally.add(self_tested(folders, folder))
    return tally


def network_of_seed(number: int) -> Model:
    """One network in three has any activations and scales, one in six floats."""
    return wild(number) if number % 3 == 0 else network(number)


def _exported(model: Model, number: int, folder: Path) -> Folder:
    name = f"m{number}"
    ask = partial(export, model, folder / name, target=None, name=name)
    return exported_or_plain(ask, **EXPORTED[number % len(EXPORTED)])


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
        done = exported_or_plain(partial(trial, result, processor, runs), **how)
    except AreniteError as error:
        tally = Tally(different=different)
        tally.refuse(error)
        return tally
    different += [f"{model.source or number} {how}: {one}" for one in done.differences]
    return Tally(equal=0 if different else 1, different=different)


def boards(count: int, first: int = 0, processor: str = "cortex-m4") -> Iterator[Tally]:
    """So many networks on an emulated core."""
    for number in range(first, first + count):
        yield on_board(network_of_seed(number), number, processor)


def shared(processor: str, *, slow: bool = False) -> Iterator[Tally]:
    """All models beside the repository, with options in turn; those of floats where asked."""
    files = sorted([*ROOT.glob("models/*/*.tflite"), *ROOT.glob("wake_words/*.tflite")])
    for number, file in enumerate(files):
        if "float32" in file.stem and not slow:
            continue  # minutes each, without a unit for floats
        for turn in range(2):
            print(file.stem)
            yield on_board(load(file), number + 4 * turn, processor)
