"""Networks through all passes, original against result in TFLM's own package.

``python -m tests.optimize --count 3000 --seed 1`` prints how many random ones differ (code 1 if any
does), and what every pass won over them as a distribution. ``python -m tests.optimize --inputs 1000
MODEL.tflite ...`` does the same with files.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

import arenite as ar
from arenite.analysis.statistics import statistics
from arenite.errors import AreniteError
from arenite.formats import tflite
from arenite.model import Model
from arenite.optimize.outcome import Report
from arenite.optimize.samples import sequence
from arenite.optimize.settings import OVERLAPS
from arenite.optimize.verify import first_difference
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.optimize.networks import network
from tests.oracle import Oracle
from tests.steps import RESET, Step

_ARENA = 1 << 22
#: For all inputs of one model.
_SECONDS = 1200.0
_PERCENTILES = (0, 10, 25, 50, 75, 90, 100)


@dataclass
class Tally:
    """What happened so far."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    #: Shares saved, by pass (``all`` together) and by what was saved.
    saved: defaultdict[tuple[str, str], list[float]] = field(
        default_factory=lambda: defaultdict(list)
    )
    changed: Counter[str] = field(default_factory=Counter)


def sizes(model: Model) -> dict[str, int]:
    """Bytes of arena and head, bytes of flash, multiply-accumulates."""
    micro = MicroInterpreter.in_smallest_arena(model, ar.AllOpsResolver())
    used = micro.allocations()
    return {
        "arena": used.peak.smallest_arena,
        "head": used.head,
        "flash": len(tflite.write(model)),
        "MACs": statistics(model).macs,
    }


def differences(
    oracle: Oracle, original: Model, result: Model, head: int, count: int
) -> Iterator[str]:
    """What differs between both models in the package, and of the head from the predicted one."""
    steps: list[Step] = [RESET if step is None else step for step in sequence(original, count)]
    before = oracle.run(tflite.write(original), steps, _ARENA)
    after = oracle.run(tflite.write(result), steps, _ARENA)
    if before.status != "ok":
        yield f"the original is {before.status}"
        return
    if after.status != "ok":
        yield f"the result is {after.status}: {after.log[-200:]}"
        return
    for number, pair in enumerate(zip(before.outputs, after.outputs, strict=True)):
        for output, (a, b) in enumerate(zip(*pair, strict=True)):
            if a.shape != b.shape or first_difference(a, b) is not None:
                yield f"inference {number}, output {output}"
    if after.allocations["head"] != head:
        yield f"a head of {after.allocations['head']} bytes, expected {head}"


def note(tally: Tally, report: Report, before: dict[str, int]) -> dict[str, int]:
    """Note what every pass won; the sizes at the end."""
    first, last = before, before
    won: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for step in report.steps:
        if step.is_change:
            after = sizes(step.after)
            won[step.name].update({name: last[name] - after[name] for name in after})
            last = after
    won["all"] = Counter({name: first[name] - last[name] for name in first})
    for name in dict.fromkeys([*(step.name for step in report.steps), "all"]):
        tally.changed[name] += any(s.is_change for s in report.steps if name in (s.name, "all"))
        for what, size in first.items():
            tally.saved[name, what].append(won[name][what] / size if size else 0.0)
    return last


def subjects(options: argparse.Namespace) -> Iterator[tuple[str, Model]]:
    """The files that are given, or the networks of the seeds."""
    for path in options.models:
        yield path, ar.load(path)
    if not options.models:
        for seed in range(options.seed, options.seed + options.count):
            model = network(seed)
            yield f"seed {seed}, {model.description}", model


def run(options: argparse.Namespace) -> Tally:
    """Optimise and compare one network after the other."""
    tally, oracle, started = Tally(), Oracle(_SECONDS), time.monotonic()
    only = options.only.split(",") if options.only else None
    for count, (name, model) in enumerate(subjects(options), 1):
        try:
            result, report = ar.optimize(
                *(model, options.target),
                only=only,
                overlap=options.overlap,
                dilate=options.dilate,
                seconds=options.seconds,
                strip=True,
                verify=0,
            )
            last = note(tally, report, sizes(model))
            found = list(differences(oracle, model, result, last["head"], options.inputs))
        except AreniteError as error:
            found = [f"{type(error).__name__}: {error}"]
        tally.outcomes["differ" if found else "equal"] += 1
        tally.failures += [f"{name}: {one}" for one in found]
        if count % 100 == 0 or options.models:
            seconds = time.monotonic() - started
            print(f"{count} networks, {dict(tally.outcomes)}, {seconds:.0f} s", flush=True)
    oracle.close()
    return tally


def show(tally: Tally) -> None:
    """Print the outcome, and shares saved by pass at some percentiles."""
    print(dict(tally.outcomes))
    print("\n".join(tally.failures[:20]))
    print(f"{'saved, % at percentile':28s}" + "".join(f"{p:7d}" for p in _PERCENTILES) + "   mean")
    for (name, what), shares in tally.saved.items():
        values = 100 * np.percentile(shares, _PERCENTILES)
        row = "".join(f"{value:7.1f}" for value in values)
        label = f"{name} ({tally.changed[name]})"
        print(f"{label:21s}{what:7s}{row}{100 * np.mean(shares):7.1f}")


def main(arguments: Sequence[str]) -> int:
    """Run; 1 if any network differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.optimize", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL.tflite")
    parser.add_argument("--count", type=int, default=3000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="PASS,...")
    parser.add_argument("--overlap", default="none", choices=OVERLAPS)
    parser.add_argument("--dilate", action="store_true")
    parser.add_argument("--target", default=None)
    parser.add_argument(
        "--inputs", type=int, default=4, metavar="N", help="random, beside extremes"
    )
    parser.add_argument("--seconds", type=float, default=0.5, help="for one plan")
    options = parser.parse_args(arguments)
    tally = run(options)
    show(tally)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
