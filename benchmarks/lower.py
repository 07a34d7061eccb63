"""Random models that TFLM does not run, before and after ``arenite optimize --lower``.

``python benchmarks/lower.py [--models N] [--output FILE]``

For every kind of ``tests/optimize/lowered.py`` N models: how many TFLM's package runs as they are
and how many after lowering, and how far its outputs are from those of the original in LiteRT.
Operators that only a revision lacks are lowered for it, and run in today's package. Files are
compared after ``lower``, ``fold`` and ``clean``.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

import numpy as np  # noqa: E402
from tests.optimize.lowered import KINDS, REVISED, Kind  # noqa: E402
from tests.oracle import Oracle  # noqa: E402
from tests.steps import RESET, Step  # noqa: E402

import arenite as ar  # noqa: E402
from arenite.analysis.machine import machine  # noqa: E402
from arenite.formats import tflite  # noqa: E402
from arenite.model import Model  # noqa: E402
from arenite.optimize import samples  # noqa: E402
from arenite.optimize.litert_process import PlainInterpreter  # noqa: E402
from arenite.optimize.verify import first_difference  # noqa: E402
from arenite.target import Target  # noqa: E402

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
    equal = all(first_difference(a, b) is None for a, b in zip(expected, got, strict=True))
    a, b = (np.concatenate([one.ravel() for one in side]).astype(float) for side in (expected, got))
    return Distance(float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30)), equal)


def litert(data: bytes, steps: list[Step], outputs: int) -> list[Array]:
    """All outputs of all inferences in LiteRT."""
    interpreter, found = PlainInterpreter(data), []
    for step in steps:
        if isinstance(step, str):
            interpreter.reset()
            continue
        for number, value in enumerate(step):
            interpreter.set_input(value, number)
        interpreter.invoke()
        found += [interpreter.get_output(number).copy() for number in range(outputs)]
    return found


def measure(kind: Kind, seed: int, target: Target | None, oracle: Oracle) -> dict[str, Any]:
    """One model."""
    built = kind(np.random.default_rng(seed))
    data = tflite.write(built)
    result, _ = ar.optimize(data, target, lower=True, only=["lower", "fold", "clean"], verify=0)
    steps: list[Step] = [RESET if one is None else one for one in samples.sequence(built, _INPUTS)]
    expected = litert(data, steps, len(built.outputs))
    near: list[Distance | None] = []
    for file in (data, tflite.write(result)):
        answer = oracle.run(file, steps)
        got = [output for step in answer.outputs for output in step]
        near.append(distance(expected, got) if answer.status == "ok" else None)
    before, after = near
    return {
        "before": target is None and before is not None and before.share < _FAR,
        "after": after is not None and after.share < _FAR and lowered_all(result, target),
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


def main() -> None:
    """Measure all kinds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=8)
    default = ROOT / "benchmarks" / "results" / "lower.json"
    parser.add_argument("--output", type=Path, default=default)
    given = parser.parse_args()
    kinds = {name: ("", kind) for name, kind in KINDS.items()} | REVISED
    oracle = Oracle()
    rows = [row(name, kind, date, given.models, oracle) for name, (date, kind) in kinds.items()]
    oracle.close()
    report = {"machine": machine(), "results": rows}
    given.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
