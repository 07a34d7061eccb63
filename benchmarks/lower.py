"""Random models that TFLM does not run, before and after ``arenite optimize --lower``.

``python benchmarks/lower.py [--models N] [--output FILE] [--packages FOLDER VERSION ...]``

For every kind of ``tests/optimize/lowered.py`` and ``lowered_types.py`` N models: how many TFLM's
package runs as they are and how many after lowering, and how far its outputs are from those of the
original in LiteRT. Operators that only a revision lacks are lowered for it, and run in today's
package. Files are compared after ``lower``, ``fold`` and ``clean``.

``--population SHARE`` does the same with ``lowered_population.py``, 650 networks by kind.
``--packages`` lowers all kinds for the days of old packages, ``tflite-micro==0.devVERSION``, which
are installed into the folder where they are not yet, and runs them there.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

import numpy as np  # noqa: E402
from tests.optimize.lowered import KINDS, REVISED, Kind  # noqa: E402
from tests.optimize.lowered_population import population  # noqa: E402
from tests.optimize.lowered_types import TYPES  # noqa: E402
from tests.oracle import Oracle  # noqa: E402
from tests.revisions import measure as old  # noqa: E402
from tests.steps import RESET, Step  # noqa: E402

import arenite as ar  # noqa: E402
from arenite.analysis.machine import machine  # noqa: E402
from arenite.formats import tflite  # noqa: E402
from arenite.model import Model  # noqa: E402
from arenite.optimize import samples  # noqa: E402
from arenite.optimize.parts import refusal_of  # noqa: E402
from arenite.optimize.verify import first_difference  # noqa: E402
from arenite.peers.packages import Litert  # noqa: E402
from arenite.target import Target  # noqa: E402

ALL = KINDS | TYPES
_INPUTS = 8
#: An output beyond this share of the largest one is no result of the model's.
_FAR = 0.1


Array = np.ndarray[Any, Any]


class Distance(NamedTuple):
    """The largest difference as a share of the largest output, and whether all bits are equal."""

    share: float
    is_equal: bool


def distance(expected: list[Array], got: list[Array]) -> Distance:
    """Between all outputs of two models."""
    pairs = [(a, b.astype(a.dtype)) for a, b in zip(expected, got, strict=True)]
    equal = all(first_difference(a, b) is None for a, b in pairs)
    a, b = (np.concatenate([one.ravel() for one in side]).astype(float) for side in (expected, got))
    return Distance(float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30)), equal)


def litert(data: bytes, steps: list[Step], outputs: int) -> list[Array]:
    """All outputs of all inferences in LiteRT."""
    interpreter, found = Litert(data), []
    for step in steps:
        if isinstance(step, str):
            interpreter.reset()
            continue
        for number, value in enumerate(step):
            interpreter.set_input(value, number)
        interpreter.invoke()
        found += [interpreter.get_output(number).copy() for number in range(outputs)]
    return found


def fed(steps: list[Step], model: Model) -> list[Step]:
    """Inputs in the types that a model takes."""
    kinds = [one.type.dtype for one in model.inputs]
    return [
        step
        if isinstance(step, str)
        else [x.astype(kind) for x, kind in zip(step, kinds, strict=True)]
        for step in steps
    ]


def measure(kind: Kind, seed: int, target: Target | None, oracle: Oracle) -> dict[str, Any]:
    """One model."""
    built = kind(np.random.default_rng(seed))
    data = tflite.write(built)
    result, _ = ar.optimize(data, target, lower=True, only=["lower", "fold", "clean"], verify=0)
    steps: list[Step] = [RESET if one is None else one for one in samples.sequence(built, _INPUTS)]
    expected = litert(data, steps, len(built.outputs))
    near: list[Distance | None] = []
    for file, model in ((data, built), (tflite.write(result), result)):
        answer = oracle.run(file, fed(steps, model))
        got = [output for step in answer.outputs for output in step]
        near.append(distance(expected, got) if answer.status == "ok" else None)
    before, after = near
    return {
        "before": target is None and before is not None and before.share < _FAR,
        "after": after is not None and after.share < _FAR and lowered_all(result, target),
        "runs": answer.status == "ok" and lowered_all(result, target),
        "share": None if after is None else after.share,
        "equal": after is not None and after.is_equal,
        "bytes": [len(data), len(tflite.write(result))],
        "operators": [len(built.main.operators), len(result.main.operators)],
    }


def lowered_all(result: Model, target: Target | None) -> bool:
    """Whether a revision's TFLM has all that the result needs."""
    return target is None or ar.smallest_arena(result, target=target) > 0


def row(name: str, kind: Kind, revision: str, models: int, oracle: Oracle) -> dict[str, Any]:
    """All models of one kind."""
    target = Target("host", abi="lp64_public", tflm=revision) if revision else None
    found = [measure(kind, seed, target, oracle) for seed in range(models)]
    print(name, flush=True)
    return {
        "kind": name,
        "revision": revision,
        "models": models,
        "before": sum(one["before"] for one in found),
        "after": sum(one["after"] for one in found),
        "equal": sum(one["equal"] for one in found),
        "share": max(one["share"] for one in found if one["share"] is not None),
        "bytes": [sum(one["bytes"][n] for one in found) for n in (0, 1)],
        "operators": [sum(one["operators"][n] for one in found) for n in (0, 1)],
    }


def people(share: float, oracle: Oracle) -> list[dict[str, Any]]:
    """The population by kind: how many run, and how many of these are near LiteRT."""
    found: dict[str, Counter[str]] = {}
    for name, kind, seed in population(share):
        one = measure(kind, seed, None, oracle)
        counts = {"models": 1, **{key: int(one[key]) for key in ("before", "runs", "after")}}
        found.setdefault(name, Counter()).update(counts)
    for name, counts in found.items():
        print(f"{name}: {dict(counts)}", flush=True)
    return [{"kind": name, **counts} for name, counts in found.items()]


def in_package(folder: Path, version: str, models: int) -> dict[str, Any]:
    """All kinds, lowered for the day of a package, in that package."""
    day = old.day_of(version)
    target, cases, expected, whole = old.target_of(day), [], [], 0
    for name, kind in ALL.items():
        for seed in range(models):
            built = kind(np.random.default_rng(seed))
            data, whole = tflite.write(built), whole + 1
            only = ["lower", "fold", "clean"]
            result, _ = ar.optimize(data, target, lower=True, only=only, verify=0)
            step = [x for x in samples.sequence(built, 1) if x is not None][-1]
            if refusal_of(result, target) is None:
                (inputs,) = fed([step], result)
                cases.append(old.Case(name, tflite.write(result), inputs, len(result.outputs)))
                expected.append(litert(data, [step], len(built.outputs)))
    answers = old.ask(old.install(folder, version), cases)
    counts = Counter({"models": whole, "lowered": len(cases)})
    for case, want, (status, made, _) in zip(cases, expected, answers, strict=True):
        counts["runs"] += status == "ok"
        if status != "ok":
            print(f"{day}: {case.operator}: {status}", flush=True)
            continue
        got = [np.frombuffer(raw, kind).reshape(shape) for kind, shape, raw in made]
        is_near = distance(want, got).share < _FAR
        counts["near"] += is_near
        if not is_near:
            print(f"{day}: {case.operator}: far from LiteRT", flush=True)
    print(day, dict(counts), flush=True)
    return {"day": day, "version": f"0.dev{version}", **counts}


def main() -> None:
    """Measure what is asked for; the figures of the rest stay."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=8)
    parser.add_argument("--population", type=float, metavar="SHARE")
    parser.add_argument("--packages", nargs="+", metavar=("FOLDER", "VERSION"))
    default = ROOT / "benchmarks" / "results" / "lower.json"
    parser.add_argument("--output", type=Path, default=default)
    given = parser.parse_args()
    report = json.loads(given.output.read_text("utf-8")) if given.output.exists() else {}
    report["machine"] = machine()
    oracle = Oracle()
    if given.population:
        report["population"] = people(given.population, oracle)
    elif given.packages:
        folder, *versions = given.packages
        report["packages"] = [in_package(Path(folder), one, given.models) for one in versions]
    else:
        kinds = {name: ("", kind) for name, kind in ALL.items()} | REVISED
        report["results"] = [
            row(name, kind, date, given.models, oracle) for name, (date, kind) in kinds.items()
        ]
    oracle.close()
    given.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
