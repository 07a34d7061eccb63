"""Random layers in assembly on an emulated Cortex-M, next to the reference, in bulk.

    python -m tests.firmware.kernels.cortex_m --count 2000 --seed 1 [--on cortex-m7]
    python -m tests.firmware.kernels.cortex_m --count 200 --seed 1 --winograd 4x4
    python -m tests.firmware.kernels.cortex_m --count 320 --seed 1 --networks --tflm TREE

Many layers make one firmware. Every result of every layer is compared, on six inputs; the arena has
memory around it that nobody may touch. With TFLM's sources the instructions of each layer are set
next to those of CMSIS-NN's.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext

from arenite.firmware.kernels.cortex_m.tiles import SIZES, Tiles
from arenite.firmware.trial import Trial, trial
from arenite.model import Model
from tests.firmware.kernels.cortex_m.beside import Pair, pairs, table
from tests.firmware.kernels.cortex_m.held_out import NETWORKS, held_out
from tests.firmware.kernels.cortex_m.random_layers import random_layers
from tests.firmware.kernels.cortex_m.winograd_layers import always, random_winograd

#: Layers of one firmware.
_BATCH = 40
#: What the stack may take at most.
_STACK = 400


def main() -> int:
    """Run what the command line asks for; 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--on", default="cortex-m4")
    parser.add_argument("--flash", type=int, help="room for larger constants, in bytes")
    tiles = {one.name: one for one in SIZES}
    parser.add_argument("--winograd", choices=tiles, help="3x3 convolutions in such tiles only")
    parser.add_argument("--tflm", metavar="TREE", help="TFLM's sources with CMSIS-NN's")
    parser.add_argument("--networks", action="store_true", help="made networks as well")
    given = parser.parse_args()
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    found: list[Pair] = []
    failures, stack, begun = 0, 0, time.monotonic()
    for seed, model in models(given, tiles.get(given.winograd)):
        with always(tiles[given.winograd]) if given.winograd else nullcontext():
            result = trial(model, given.on, runs=6, flash=given.flash, optimize=False)
        failures += report(seed, result)
        stack = max(stack, result.stack_bytes)
        kinds.update(layer.function.rpartition("_")[0] for layer in result.layers)
        reasons.update(layer.reason for layer in result.layers if layer.reason)
        if given.tflm:
            found += (both := pairs(result, model, given.tflm))
            print(seed, f"{sum(one.own for one in both) / sum(one.theirs for one in both):.3f}")
    print(
        f"{sum(kinds.values())} layers on {given.on}: {failures} differ, {stack} bytes of stack, "
        f"{time.monotonic() - begun:.0f} s"
    )
    for title, counter in (("functions", kinds), ("plain C because", reasons)):
        print(title, *(f"  {number:5} {what}" for what, number in counter.most_common()), sep="\n")
    print(*(table(found) if found else ()), sep="\n")
    return int(failures > 0 or stack > _STACK)


def models(given: argparse.Namespace, size: Tiles | None) -> Iterator[tuple[object, Model]]:
    """Random layers side by side by their seeds, and networks by their names."""
    for first in range(0, given.count, _BATCH):
        seed = 1_000_003 * given.seed + first
        count = min(_BATCH, given.count - first)
        net = random_winograd(seed, count, size) if size else random_layers(seed, count)
        yield seed, net.build()
    if given.networks:
        yield from ((name, held_out(name)) for name in NETWORKS)


def report(seed: object, result: Trial) -> int:
    """Print where a firmware differs; how often it does."""
    for line in result.differences:
        print(f"seed {seed}: {line}", flush=True)
    return len(result.differences)


if __name__ == "__main__":
    sys.exit(main())
