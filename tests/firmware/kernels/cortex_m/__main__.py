"""Random layers in assembly on an emulated Cortex-M, next to the reference, in bulk.

    python -m tests.firmware.kernels.cortex_m --count 2000 --seed 1 [--on cortex-m7]
    python -m tests.firmware.kernels.cortex_m --count 200 --seed 1 --winograd 4x4

Many layers make one firmware. Every result of every layer is compared, on six inputs; the arena has
memory around it that nobody may touch.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from contextlib import nullcontext

from arenite.firmware.export import KERNELS
from arenite.firmware.kernels.cortex_m.tiles import SIZES
from arenite.firmware.trial import Trial
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
    given = parser.parse_args()
    size = tiles.get(given.winograd)
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    failures, stack, begun = 0, 0, time.monotonic()
    for first in range(0, given.count, _BATCH):
        seed = 1_000_003 * given.seed + first
        count = min(_BATCH, given.count - first)
        net = random_winograd(seed, count, size) if size else random_layers(seed, count)
        with always(size) if size else nullcontext():
            result = net.run(runs=6, processor=given.on, flash=given.flash)
        failures += report(seed, result)
        stack = max(stack, result.stack_bytes)
        for layer in result.layers:
            kinds[layer.function.rpartition("_")[0]] += 1
        reasons.update(work.reason for work in map(KERNELS[given.on], net.layers()) if work.reason)
    print(
        f"{given.count} layers on {given.on}: {failures} differ, {stack} bytes of stack, "
        f"{time.monotonic() - begun:.0f} s"
    )
    for title, counter in (("functions", kinds), ("plain C because", reasons)):
        print(title, *(f"  {number:5} {what}" for what, number in counter.most_common()), sep="\n")
    return int(failures > 0 or stack > _STACK)


def report(seed: int, result: Trial) -> int:
    """Print where a firmware differs; how often it does."""
    for line in result.differences:
        print(f"seed {seed}: {line}", flush=True)
    return len(result.differences)


if __name__ == "__main__":
    sys.exit(main())
