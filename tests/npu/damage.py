"""Damaged command streams and weights: each is refused or runs, whatever it says.

    python -m tests.npu.damage --count 100000 --seed 1

Every case is made from its seed and number alone. ``--case NUMBER`` shows one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

import arenite as ar
from arenite.npu.reader import read_program
from arenite.npu.reference import run
from arenite.npu.stream import StreamError, read_stream
from tests.npu.vela import KEPT

Bytes = np.ndarray[Any, Any]
_NUMBERS = (0, 1, 2, 3, 7, 8, 15, 16, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF)


class Parts(NamedTuple):
    """What the NPU is given: commands, constants, bytes to work in and of fast memory."""

    stream: Bytes
    read_only: Bytes
    work: int
    fast: int | None


def parts_of(name: str) -> Parts:
    """Those of a kept model."""
    model = ar.load(KEPT[name])
    (operator,) = model.main.operators
    stream, constants, work, fast = (model.main.tensors[i] for i in operator.inputs[:4])
    assert stream.data is not None
    assert constants.data is not None
    own = None if operator.inputs[2] == operator.inputs[3] else fast.nbytes
    return Parts(stream.data, constants.data, work.nbytes, own)


def damaged(parts: Parts, rng: np.random.Generator) -> Parts:
    """One to four changes: parameters of commands, words, or bytes of constants."""
    stream, constants = parts.stream.copy(), parts.read_only.copy()
    words = stream.view("<u4")
    for _ in range(int(rng.integers(1, 5))):
        place = int(rng.integers(2, len(words)))
        match int(rng.integers(5)):
            case 0:
                words[place] = int(words[place]) & 0xFFFF | int(rng.choice(_NUMBERS)) << 16
            case 1:
                words[place] ^= np.uint32(1 << int(rng.integers(32)))
            case 2:
                words[place] = int(rng.integers(2**32))
            case 3:
                words[place] = words[int(rng.integers(8, len(words)))]
            case _:
                constants[int(rng.integers(len(constants)))] ^= 1 << int(rng.integers(8))
    return parts._replace(stream=stream, read_only=constants)


def outcome(parts: Parts) -> str:
    """``"ran"`` or ``"refused"``; anything else that happens is a fault and raised.

    Memory lies between guards, which nothing may touch.
    """
    try:
        program = read_program(read_stream(parts.stream), parts.read_only, parts.work, parts.fast)
    except StreamError:
        return "refused"
    if program.work > 10**8:
        return "long"  # verified, and nothing new
    guarded = np.full(parts.work + 128, 0xA5, np.uint8)
    work = guarded[64:-64]
    fast = work if parts.fast is None else np.zeros(parts.fast, np.uint8)
    before = parts.read_only.copy()
    run(program, {0: parts.read_only, 1: work, 2: fast})
    assert (guarded[:64] == 0xA5).all()
    assert (guarded[-64:] == 0xA5).all()
    assert np.array_equal(before, parts.read_only)
    return "ran"


def case(name: str, seed: int, number: int) -> str:
    """The outcome of one case."""
    return outcome(damaged(parts_of(name), np.random.default_rng([seed, number])))


def main() -> None:
    """Run many cases, and count outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int)
    given = parser.parse_args()
    names = list(KEPT)
    parts = [parts_of(name) for name in names]
    numbers = range(given.count) if given.case is None else [given.case]
    outcomes: Counter[str] = Counter()
    for number in numbers:
        one = damaged(parts[number % len(parts)], np.random.default_rng([given.seed, number]))
        try:
            outcomes[outcome(one)] += 1
        except BaseException:
            print(f"case {number} of {names[number % len(parts)]}")
            raise
        if number % 1000 == 999:
            print(number + 1, dict(outcomes), flush=True)
    print(dict(outcomes))


if __name__ == "__main__":
    main()
