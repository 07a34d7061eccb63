"""Damaged command streams, weights and regions: each is refused, or runs with the same bits twice.

    python -m tests.npu.damage --count 100000 --seed 1

Every case is made from its seed and number alone, verified, and run in C and, where that is quick,
in NumPy. A case that takes a minute ends the process. ``--first NUMBER --count 1`` is one case.
One case in 50 damages a whole stream of a kept model, the others one to three operations of it.
``--models FOLDER`` takes operations of other files that Vela compiled, too.
``tools/fuzz.py FOLDER --npu 100000`` does this on the build with sanitizers.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

if "ARENITE_SANITIZED_ENGINE" in os.environ:
    importlib.import_module("tests.native.sanitizer")  # before anything loads the other engine

import numpy as np

import arenite as ar
from arenite.native import available
from arenite.npu import layers
from arenite.npu.constants import Known
from arenite.npu.lifetimes import Spans
from arenite.npu.operations import Copy
from arenite.npu.operations import Program as Commands
from arenite.npu.reference import run
from arenite.npu.stream import StreamError, read_stream
from arenite.npu.verification.reader import read_program
from tests.npu.pieces import pieces
from tests.npu.vela import KEPT

Bytes = np.ndarray[Any, Any]
_NUMBERS = (0, 1, 2, 3, 7, 8, 15, 16, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF)
#: Multiply-adds of cases that run in C, and in NumPy as well; of more, a case is only verified.
MOST_WORK, MOST_WORK_TWICE = 10**8, 10**6


class Parts(NamedTuple):
    """What the NPU is given: commands, constants, bytes to work in and of fast memory.

    And where inputs and outputs lie in the memory to work in, and what commands read of constants.
    """

    stream: Bytes
    read_only: Bytes
    work: int
    fast: int | None
    inputs: Spans
    outputs: Spans
    read: Spans


def parts_of(path: Path) -> Parts:
    """Those of a model whose only operator is the NPU's."""
    model = ar.load(path)
    (operator,) = model.main.operators
    stream, constants, work, fast = (model.main.tensors[i] for i in operator.inputs[:4])
    assert stream.data is not None
    read_only = np.zeros(0, np.uint8) if constants.data is None else constants.data
    own = None if operator.inputs[2] == operator.inputs[3] else fast.nbytes
    micro = ar.MicroInterpreter.in_smallest_arena(model, ar.AllOpsResolver())
    places = {(b.kind, b.index): (b.offset, b.offset + b.size) for b in micro.plan.buffers}
    begin, _ = places["tensor", operator.inputs[2]]

    def inside(tensors: tuple[int, ...]) -> Spans:
        found = (places["tensor", index] for index in tensors)
        return [(low - begin, high - begin) for low, high in found]

    spans = inside(operator.inputs[4:]), inside(operator.outputs)
    return with_read(Parts(stream.data, read_only, work.nbytes, own, *spans, []))


def with_read(parts: Parts) -> Parts:
    """With what its commands read of constants: scales, weights, what they copy."""
    found, take = set(), Known.take

    def noted(known: Known, region: int, begin: int, length: int, what: str) -> Bytes:
        found.add((region, begin, begin + length))
        return take(known, region, begin, length, what)

    with mock.patch.object(Known, "take", noted):
        program = read_program(read_stream(parts.stream), parts.read_only, parts.work, parts.fast)
    copies = (one for one in program.operations if isinstance(one, Copy))
    found |= {(one.source[0], one.source[1], one.source[1] + one.length) for one in copies}
    return parts._replace(read=sorted((b, e) for region, b, e in found if not region and b < e))


def pieces_of(parts: Parts) -> Iterator[Parts]:
    """Operations of a stream, one to three in a row, which find any bytes in memory."""
    for length in (1, 2, 3):
        stream = read_stream(parts.stream)
        for one in pieces(stream, parts.read_only, parts.work, parts.fast, length):
            everything = [(0, one.work)]
            fast = None if one.is_shared else parts.fast
            spans = everything, everything, []
            yield with_read(Parts(one.stream, parts.read_only, one.work, fast, *spans))


def damaged(parts: Parts, rng: np.random.Generator) -> Parts:
    """One to four changes: parameters of commands, words, bytes of constants, sizes of regions."""
    stream, constants = parts.stream.copy(), parts.read_only.copy()
    words, parts = stream.view("<u4"), parts._replace(stream=stream, read_only=constants)
    for _ in range(int(rng.integers(1, 5))):
        place = int(rng.integers(2, len(words)))
        match int(rng.integers(16)):
            case 0 | 1 | 2:
                words[place] = int(words[place]) & 0xFFFF | int(rng.choice(_NUMBERS)) << 16
            case 3 | 4 | 5:
                words[place] ^= np.uint32(1 << int(rng.integers(32)))
            case 6 | 7:
                words[place] = int(rng.integers(2**32))
            case 8 | 9:
                words[place] = words[int(rng.integers(8, len(words)))]
            case 10 if len(parts.read_only):
                end = int(rng.integers(len(parts.read_only)))
                parts = parts._replace(read_only=parts.read_only[: max(end, 1)])
            case 11:
                parts = parts._replace(work=int(rng.integers(1, 2 * parts.work)))
            case 12 if parts.fast:
                parts = parts._replace(fast=int(rng.integers(1, 2 * parts.fast)))
            case _ if parts.read:
                begin, end = parts.read[int(rng.integers(len(parts.read)))]
                constants[int(rng.integers(begin, end))] ^= 1 << int(rng.integers(8))
            case _:
                words[place] ^= np.uint32(1 << int(rng.integers(16, 32)))
    return parts


def outcome(parts: Parts) -> str:
    """``"ran"`` or ``"refused"``; ``"reference"`` or ``"C"`` for one of both alone.

    Anything else that happens is a fault, and raised. Memory lies between guards, which nothing may
    touch.
    """
    constants = parts.read_only.copy()
    constants.flags.writeable = False
    try:
        commands = read_program(read_stream(parts.stream), constants, parts.work, parts.fast)
    except StreamError:
        return "refused"
    if commands.work > MOST_WORK:
        return "long"  # verified, and nothing new
    found = run_in_c(commands, parts, constants) if available() else None
    if commands.work > MOST_WORK_TWICE:
        return "C" if found is not None else "long"
    work = run_in_numpy(commands, parts, constants)
    assert np.array_equal(constants, parts.read_only)
    if found is None:
        return "reference"
    for begin, end in parts.outputs:
        assert np.array_equal(found[begin:end], work[begin:end])
    return "ran"


def run_in_numpy(commands: Commands, parts: Parts, constants: Bytes) -> Bytes:
    """The memory to work in, behind the reference."""
    guarded = np.full(parts.work + 128, 0xA5, np.uint8)
    work = guarded[64:-64]
    fast = work if parts.fast is None else np.zeros(parts.fast, np.uint8)
    run(commands, {0: constants, 1: work, 2: fast})
    assert (guarded[:64] == 0xA5).all()
    assert (guarded[-64:] == 0xA5).all()
    return work


def run_in_c(commands: Commands, parts: Parts, constants: Bytes) -> Bytes | None:
    """The same behind the engine's steps; None where they are for Python."""
    from arenite.native.program import Program
    from arenite.runtime.npu_steps import steps_of

    work = np.full(parts.work, 0xA5, np.uint8)  # AddressSanitizer knows where that ends
    fast = work if parts.fast is None else np.zeros(parts.fast, np.uint8)
    steps = steps_of(commands, {0: constants, 1: work, 2: fast}, parts.inputs, parts.outputs)
    if steps is None:
        return None
    program = Program()
    if not program.add_steps(*steps):
        return None  # limits of uint32, which Vela never writes
    program.finish()
    assert program.run(0, 1) == 1
    return work


def main() -> None:
    """Run many cases, and count outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--models", type=Path)
    given = parser.parse_args()
    paths = [*KEPT.values(), *sorted(given.models.glob("*.tflite") if given.models else ())]
    wholes = [parts_of(path) for path in paths]
    short = [one for parts in wholes for one in pieces_of(parts)]
    print(f"{len(wholes)} streams, {len(short)} pieces of them", flush=True)
    # What is not damaged is decoded once.
    layers.decode = lru_cache(maxsize=1 << 10)(layers.decode)
    outcomes: Counter[str] = Counter()
    for number in range(given.first, given.first + given.count):
        rng = np.random.default_rng([given.seed, number])
        chosen = wholes if number % 50 == 0 else short
        one = damaged(chosen[int(rng.integers(len(chosen)))], rng)
        signal.setitimer(signal.ITIMER_VIRTUAL, 60)
        try:
            outcomes[outcome(one)] += 1
        except BaseException:
            print(f"case {number}")
            raise
        if number % 10_000 == 9999:
            print(number + 1, dict(outcomes), flush=True)
    print(dict(outcomes))


if __name__ == "__main__":
    main()
