"""Arenite as of a day next to TFLM's package of that day, operator by operator.

``python -m tests.revisions.measure FOLDER DATE...`` installs the packages
``tflite-micro==0.devDATE`` into ``FOLDER`` (for those before November 2024 also NumPy 1), asks them
for random models of every operator and for models that are always the same, and writes
``figures.json``: how many of the first were equal, and the arenas of the others.
Days that are not asked keep their figures.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from hypothesis.internal.conjecture import providers

import arenite as ar
from arenite.errors import AreniteError, UndefinedWarning
from arenite.formats import tflite
from arenite.target import Target
from tests.fuzz.seeds import classifier, random_cases
from tests.native import sizes
from tests.native.strategies import OPERATORS
from tests.ops.differential import random_array
from tests.oracle import allocations
from tests.shared import DIGITS, shared_models

FIGURES = Path(__file__).with_name("figures.json")
PER_OPERATOR = int(os.environ.get("ARENITE_CASES", "12"))
#: What memory holds before, where it is asked a second time.
FILLING = 0xA5
#: Outcomes that are no difference.
FINE = ("equal", "refused", "crashed", "undefined")
#: The first package that was built with NumPy 2.
_NUMPY_2 = "20241101"


class Case(NamedTuple):
    """A model, its inputs, and what of its outputs is defined."""

    operator: str
    data: bytes
    inputs: list[Any]
    outputs: int
    defined: Any = None


def fixed_models() -> dict[str, bytes]:
    """Models that are the same everywhere, and the shared ones where there are some."""
    files = {"classifier": tflite.write(classifier()), "digits": DIGITS.read_bytes()}
    files.update((case, tflite.write(sizes.build(case))) for case in sizes.CASES)
    return files | {path.stem: path.read_bytes() for path in shared_models()}


@contextmanager
def _numbers_of_no_module() -> Iterator[None]:
    """Hypothesis draws no numbers that stand in imported modules: models would change with them."""
    name, kept = "_get_local_constants", getattr(providers, "CONSTANTS_CACHE", None)
    if kept is None:  # before Hypothesis 6.131
        yield
        return
    nothing = type(providers.GLOBAL_CONSTANTS)()
    with patch.object(providers, name, lambda: nothing):
        kept.cache.clear()
        yield
    kept.cache.clear()


def random_corpus(operators: Sequence[str] = tuple(OPERATORS)) -> Iterator[Case]:
    """Random models of operators, with inputs as their own tests have them."""
    for name in operators:
        with _numbers_of_no_module():
            drawn = list(random_cases(name, PER_OPERATOR))
        for model, seed, more in drawn:
            rng = np.random.default_rng(seed)
            inputs = more.get("inputs") or [random_array(t, rng) for t in model.inputs]
            yield Case(name, tflite.write(model), inputs, len(model.outputs), more.get("defined"))


def fixed_corpus() -> Iterator[Case]:
    """Those models with random inputs."""
    for name, data in fixed_models().items():
        model, rng = tflite.read(data), np.random.default_rng(0)
        inputs = [random_array(tensor, rng) for tensor in model.inputs]
        yield Case(name, data, inputs, len(model.outputs))


def day_of(version: str) -> str:
    """``20240801213054`` -> ``2024-08-01``."""
    return f"{version[:4]}-{version[4:6]}-{version[6:8]}"


def target_of(day: str) -> Target:
    """TFLM's package of a day."""
    return Target("host", tflm=day)


def arena_of(data: bytes, day: str) -> list[int]:
    """Head and tail that Arenite says a model takes."""
    resolver = ar.AllOpsResolver()
    micro = ar.MicroInterpreter(
        tflite.read(data), resolver, bytearray(1 << 22), target=target_of(day)
    )
    micro.allocate_tensors()
    return [micro.allocations().head, micro.allocations().tail]


def outcome(case: Case, theirs: tuple[str, list[Any], str], day: str) -> str:
    """``equal``, ``refused`` by both, ``crashed`` there, or how they differ."""
    status, made, log = theirs
    if status == "crashed":
        return status
    try:
        arena, outputs = _run(case, day)
    except AreniteError:
        return "refused" if status == "refused" else "refused here"
    if status == "refused":
        return "refused there"
    found = allocations(log)
    if arena != [found["head"], found["tail"]]:
        return "arena"
    expected = [np.frombuffer(data, dtype).reshape(shape) for dtype, shape, data in made]
    if case.defined is not None:
        outputs, expected = case.defined(outputs, 0), case.defined(expected, 0)
    same = all(map(is_same, outputs, expected))
    return "equal" if same else "bits"


def is_told(found: str, run: Callable[[], object]) -> bool:
    """Whether Arenite refuses or warns of what the others ran."""
    return found == "refused here" or (found == "bits" and is_warned(run))


def is_warned(run: Callable[[], object]) -> bool:
    """Whether Arenite says that it is not quite that revision's."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UndefinedWarning)
        run()
    return any(issubclass(one.category, UndefinedWarning) for one in said)


def outcomes(places: list[str], cases: list[Case], answers: list[Any], day: str) -> list[str]:
    """What :func:`outcome` says of every case, or ``undefined``.

    Undefined is what Arenite refuses or warns of, if the package gives another result after its
    memory held other bytes.
    """
    found = [outcome(*pair, day) for pair in zip(cases, answers, strict=True)]
    told = [n for n, one in enumerate(found) if is_told(one, partial(_run, cases[n], day))]
    others = ask(places, [cases[n] for n in told], FILLING)
    for n, other in zip(told, others, strict=True):
        if other[:2] != answers[n][:2]:
            found[n] = "undefined"
    return found


def _run(case: Case, day: str) -> tuple[list[int], list[Any]]:
    model, arena = tflite.read(case.data), bytearray(1 << 22)
    micro = ar.MicroInterpreter(model, ar.AllOpsResolver(), arena, target=target_of(day))
    micro.allocate_tensors()
    for index, values in enumerate(case.inputs):
        micro.input(index)[...] = values
    micro.invoke()
    used = micro.allocations()
    return [used.head, used.tail], [np.array(micro.output(i)) for i in range(case.outputs)]


def is_same(mine: Any, its: Any) -> bool:
    """Integers bit for bit, floats within 1e-5 of the largest."""
    mine = mine.reshape(its.shape)
    if its.dtype.kind != "f":
        return bool(np.array_equal(mine, its))
    largest = float(np.abs(its[np.isfinite(its)]).max(initial=0.0))
    return bool(np.allclose(mine, its, rtol=0, atol=1e-5 * largest, equal_nan=True))


def install(folder: Path, version: str) -> list[str]:
    """The package, and folders that its process finds modules in."""
    wheel = folder / f"dev{version}"
    _pip(wheel, f"tflite-micro==0.dev{version}", "--no-deps")
    if version >= _NUMPY_2:
        return [str(wheel)]
    older = folder / "numpy1"
    _pip(older, "numpy<2")
    return [str(wheel), str(older)]


def _pip(place: Path, *what: str) -> None:
    if not place.is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(place)]
        subprocess.run([*pip, *what], check=True)


def ask(places: list[str], cases: list[Case], filling: int = 0) -> list[tuple[str, list[Any], str]]:
    """A package's answers, where memory that it is given was filled with a byte before."""
    arrays = [[(x.dtype.str, x.shape, x.tobytes()) for x in case.inputs] for case in cases]
    questions = [(c.data, x, c.outputs) for c, x in zip(cases, arrays, strict=True)]
    child = Path(__file__).with_name("wheel.py")
    path = os.pathsep.join(reversed(places))
    filled = {"MALLOC_PERTURB_": str(filling ^ 0xFF)} if filling else {}  # of the GNU C library
    done = subprocess.run(
        [sys.executable, str(child), places[0]],
        input=pickle.dumps(questions),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path, **filled},
        check=True,
    )
    found: list[tuple[str, list[Any], str]] = pickle.loads(done.stdout)
    return found


def measure(folder: Path, versions: list[str]) -> dict[str, Any]:
    """Counts of outcomes by operator, and arenas of the fixed models, by day."""
    cases, fixed = list(random_corpus()), list(fixed_corpus())
    figures: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8"))
    for version in versions:
        day, places = day_of(version), install(folder, version)
        answers = ask(places, [*cases, *fixed])
        counts: dict[str, Counter[str]] = {}
        found = outcomes(places, cases, answers[: len(cases)], day)
        for case, one in zip(cases, found, strict=True):
            counts.setdefault(case.operator, Counter())[one] += 1
        arenas = {
            case.operator: [allocations(log)["head"], allocations(log)["tail"]]
            for case, (status, _, log) in zip(fixed, answers[len(cases) :], strict=True)
            if status == "ok"
        }
        figures[day] = {
            "version": f"0.dev{version}",
            "operators": {name: dict(sorted(one.items())) for name, one in sorted(counts.items())},
            "arenas": arenas,
        }
        total = sum(counts.values(), Counter())
        print(day, dict(total), {n: dict(c) for n, c in counts.items() if _has_news(c)}, flush=True)
    return dict(sorted(figures.items()))


def text_of(figures: dict[str, Any]) -> str:
    """JSON with a line per operator and per model."""
    text = json.dumps(figures, indent=1)
    return re.sub(r"([\[{])([^\[\]{}]*)([\]}])", _in_a_line, text) + "\n"


def _in_a_line(match: re.Match[str]) -> str:
    return match[1] + " ".join(match[2].split()) + match[3]


def _has_news(counts: Counter[str]) -> bool:
    return bool(set(counts) - set(FINE))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    figures = measure(Path(sys.argv[1]), [one.removeprefix("0.dev") for one in sys.argv[2:]])
    FIGURES.write_text(text_of(figures), encoding="utf-8")
