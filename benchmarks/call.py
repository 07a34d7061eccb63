"""What Python adds to an inference, and what converting a batch adds to its inferences.

``python benchmarks/call.py [MODEL ...] [--calls N] [--samples N] [--turns N]``

*A call*: the time of one ``interp(x)``, ``interp.invoke()`` and ``interp.predict`` of one sample,
less that of one sample in a long ``predict``, where C copies a sample in, runs the kernels and
copies the result out, as a call does. *A batch*: real numbers and bytes of images next to int8
values, by a factor.

All are measured in turns, in one process and one thread, in its CPU time; reported is the
median of all turns, with the quartiles of factors. A model whose kernels take next to nothing
(``hello_world_int8``) shows a call best; ``--samples`` is for those that take int8 images.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import arenite as ar
from arenite.analysis.machine import machine
from arenite.runtime.io_conversion import real_range
from shared import DIGITS

Array = np.ndarray[Any, Any]


def in_turns(ways: dict[str, Callable[[], object]], turns: int) -> dict[str, list[float]]:
    """CPU seconds of this thread for every way, turn by turn."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(turns):
        for name, way in ways.items():
            start = time.thread_time()
            way()
            taken[name].append(time.thread_time() - start)
    return taken


def samples(interp: ar.Interpreter, count: int) -> Array:
    """Random values of the first input."""
    tensor = interp.model.inputs[0]
    bits = np.random.default_rng(0).integers(0, 256, (count, *tensor.shape[1:]), np.uint8)
    return bits.view(np.int8) if tensor.type.dtype == np.int8 else bits.astype(tensor.type.dtype)


def call(interp: ar.Interpreter, calls: int, turns: int) -> dict[str, float]:
    """Microseconds that Python adds to one inference, by kind of call; and those in C."""
    batch = samples(interp, calls)
    x, one = batch[:1].copy(), batch[:1].copy()
    invoke, predict = interp.invoke, interp.predict

    def repeated(function: Callable[..., object], *args: Any) -> Callable[[], None]:
        def run() -> None:
            for _ in range(calls):
                function(*args)

        return run

    ways = {
        "nothing": repeated(lambda: None),
        "in C": lambda: predict(batch),
        "interp(x)": repeated(interp, x),
        "interp.invoke()": repeated(invoke),
        "interp.predict of one": repeated(predict, one),
    }
    taken = in_turns(ways, turns)
    in_c = taken.pop("in C")
    del taken["nothing"]
    added = {
        name: statistics.median(t - c for t, c in zip(times, in_c, strict=True)) / calls * 1e6
        for name, times in taken.items()
    }
    return {**added, "in C": statistics.median(in_c) / calls * 1e6}


def batches(interp: ar.Interpreter, count: int, turns: int) -> dict[str, list[float]]:
    """Times of a batch next to that of the input's own values: quartiles of the factor."""
    own, tensor = samples(interp, count), interp.model.inputs[0]
    low, high = real_range(tensor)
    pixels = own.view(np.uint8) ^ np.uint8(0x80)
    reals = (low + pixels.astype(np.float32) * np.float32((high - low) / 255)).astype(np.float32)
    expected = interp.predict(own, quantize=True)
    ways: dict[str, Callable[[], object]] = {"int8": lambda: interp.predict(own)}
    for name, batch in {"float32": reals, "uint8": pixels}.items():
        np.testing.assert_array_equal(interp.predict(batch, quantize=True), expected)
        ways[name] = lambda batch=batch: interp.predict(batch, quantize=True)
    taken = in_turns(ways, turns)
    plain = taken["int8"]
    factors = {
        name: statistics.quantiles([t / p for t, p in zip(taken[name], plain, strict=True)], n=4)
        for name in ("float32", "uint8")
    }
    return {"int8 µs a sample": [statistics.median(plain) / count * 1e6], **factors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("models", nargs="*", type=Path, default=[DIGITS])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--samples", type=int, default=0, help="of a batch; 0 leaves it out")
    parser.add_argument("--turns", type=int, default=21)
    options = parser.parse_args()
    found: dict[str, Any] = {"machine": machine()}
    for path in options.models:
        interp = ar.Interpreter(path)
        facts: dict[str, Any] = {"call, µs": call(interp, options.calls, options.turns)}
        if options.samples:
            facts["batch, times int8"] = batches(interp, options.samples, options.turns)
        found[path.stem] = facts
    print(json.dumps(found, indent=2, default=float, ensure_ascii=False))


if __name__ == "__main__":
    main()
