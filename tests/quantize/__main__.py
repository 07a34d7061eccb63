"""Random float networks quantised, and run in TFLM's own package.

``python -m tests.quantize --count 500 --seed 0`` prints how many run with Arenite's bits (code 1 if
any does not), and their SQNR as percentiles; ``--activations int16`` and ``--passes`` as of the
command.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

import arenite as ar
from arenite.errors import AreniteError
from tests.optimize.networks import network
from tests.oracle import Oracle
from tests.quantize.agreement import agrees, samples

_SAMPLES = 40


def main(arguments: Sequence[str]) -> int:
    """Run the networks and print what became of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.quantize", description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--activations", default="int8")
    parser.add_argument("--passes", default="ranges,correct")
    asked = parser.parse_args(arguments)
    passes = () if asked.passes == "none" else tuple(asked.passes.split(","))
    outcomes: Counter[str] = Counter()
    found, begin, oracle = [], time.perf_counter(), Oracle()
    for seed in range(asked.seed, asked.seed + asked.count):
        model = network(seed, dtype="float32")
        try:
            result, report = ar.quantize(
                model,
                samples(model, _SAMPLES),
                activations=asked.activations,
                passes=passes,
                accept=True,
            )
            outcome = agrees(oracle, result, samples(model, 3, 1))
        except (AreniteError, AssertionError) as error:
            outcome = f"{type(error).__name__}: {error}"
        outcomes[outcome] += 1
        if outcome == "ok":
            found.append(report.sqnr)
        else:
            print(f"{seed}: {outcome}", file=sys.stderr)
    oracle.close()
    p1, p10, p50 = np.percentile(found, [1, 10, 50]) if found else (np.nan,) * 3
    print(f"{outcomes['ok']} of {asked.count} run in TFLM with Arenite's bits")
    print(f"SQNR p1 {p1:.1f}, p10 {p10:.1f}, p50 {p50:.1f} dB")
    print(f"{time.perf_counter() - begin:.0f} s")
    return 0 if outcomes["ok"] == asked.count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
