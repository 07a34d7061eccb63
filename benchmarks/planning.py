"""Time to plan and to validate many buffers.

``python benchmarks/planning.py [--count N]``

Sizes are random multiples of 16 up to 64 KB, lifetimes random or special, all with a fixed seed.
Times are this process's on the processor, in seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from random import Random

from arenite.memory.greedy import greedy
from arenite.memory.problem import Buffer, Problem
from arenite.memory.validate import validate

Life = Callable[[int, int, Random], tuple[int, int]]


def _up_to(longest: int) -> Life:
    def life(_number: int, count: int, draw: Random) -> tuple[int, int]:
        begin = draw.randrange(count)
        return begin, begin + 1 + draw.randrange(longest or count)

    return life


LIVES: dict[str, Life] = {
    "up to 60 moments": _up_to(60),
    "up to 2,000 moments": _up_to(2000),
    "up to 20,000 moments": _up_to(20_000),
    "up to all moments": _up_to(0),
    "until the end": lambda number, count, _: (number, count + 1),
    "nested": lambda number, count, _: (number, 2 * count - number),
    "one after the other": lambda number, _, __: (number, number + 2),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    count: int = parser.parse_args().count
    print(f"{count:,} buffers{'greedy':>22}{'validate':>10}")
    for name, life in LIVES.items():
        draw = Random(1)
        lives = (life(number, count, draw) for number in range(count))
        problem = Problem(tuple(Buffer(16 * draw.randrange(1, 4096), *span, 16) for span in lives))
        begin = time.process_time()
        solution = greedy(problem)
        planned = time.process_time()
        validate(problem, solution)
        validated = time.process_time()
        print(f"{name:<26}{planned - begin:>11.2f}{validated - planned:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
