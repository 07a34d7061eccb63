"""Times of engines that take turns, so that whatever else the machine does hits all alike."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import numpy as np

from arenite.analysis.benchmark import OperatorTime, Spread
from arenite.analysis.statistics import statistics
from arenite.model.model import Array, tensor_text
from arenite.runtime.micro_interpreter import MicroInterpreter

Call = Callable[[], Any]
Key = TypeVar("Key")

#: What one turn of inferences takes, about.
TURN_SECONDS = 0.002
#: What one turn of a batch takes, about.
BATCH_SECONDS = 0.02
#: Turns of which there is a median, however long they take.
FEWEST_TURNS = 5
_OPERATOR_SECONDS = 0.0005
_BATCH_BYTES = 1 << 24
_FEWEST_SAMPLES = 4
_MOST_SAMPLES = 1 << 18


@contextmanager
def _no_collections() -> Iterator[None]:
    """Garbage is collected before and after, not while a clock runs."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def seconds_of(call: Call, times: int = 1) -> float:
    """Mean time of a call over ``times`` ones."""
    repeat = range(times)
    start = time.perf_counter()
    for _ in repeat:
        call()
    return (time.perf_counter() - start) / times


def calls_in(seconds: float, call: Call) -> int:
    """The number of calls that take about that long, at least one; also their warm-up."""
    start, calls = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < 5 * seconds or calls < 3:
        call()
        calls += 1
        if elapsed > 1:
            break
    return max(1, round(calls * seconds / max(elapsed, 1e-9)))


def turns_within(seconds: float, most: int) -> Iterator[int]:
    """The numbers of at most so many turns, none of which begins later, but for the first few."""
    end = time.perf_counter() + seconds
    for turn in range(most):
        if turn >= FEWEST_TURNS and time.perf_counter() > end:
            return
        yield turn


def take_turns(
    calls: Mapping[str, Call],
    turns: int,
    advance: Callable[[], object],
    seconds: float = math.inf,
) -> dict[str, Spread]:
    """Seconds of each call; a sample is the mean over a turn of about 2 ms.

    No turn but the first few begins after ``seconds``; so in what follows.
    """
    per_turn = {name: calls_in(TURN_SECONDS, call) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    with _no_collections():
        for _ in turns_within(seconds, turns):
            for name, call in calls.items():
                samples[name].append(seconds_of(call, per_turn[name]))
            advance()
    return {name: Spread.of(seconds) for name, seconds in samples.items()}


def load_times(
    loads: Mapping[str, Callable[[], Callable[..., Any]]],
    inputs: Sequence[Array],
    rounds: int,
    seconds: float = math.inf,
) -> tuple[dict[str, Spread], dict[str, Spread], dict[str, Callable[..., Any]]]:
    """Seconds to load and plan, seconds of the first inference, and what was loaded last."""
    loaded: dict[str, Callable[..., Any]] = {}
    load: dict[str, list[float]] = {name: [] for name in loads}
    first: dict[str, list[float]] = {name: [] for name in loads}
    for _ in turns_within(seconds, rounds):
        for name, call in loads.items():
            start = time.perf_counter()
            loaded[name] = call()
            load[name].append(time.perf_counter() - start)
            first[name].append(seconds_of(partial(loaded[name], *inputs)))
    return (
        {name: Spread.of(seconds) for name, seconds in load.items()},
        {name: Spread.of(seconds) for name, seconds in first.items()},
        loaded,
    )


# -- batches ---------------------------------------------------------------------------


def batch_like(
    predict: Callable[..., Any], inputs: Sequence[Array], seconds_each: float
) -> tuple[Array, ...]:
    """Samples that ``predict`` takes about 20 ms for: shuffled copies of those given.

    ``seconds_each`` is a first guess.
    """
    most = min(_BATCH_BYTES // max(sum(array.nbytes for array in inputs), 1), _MOST_SAMPLES)
    for _ in range(2):
        count = max(_FEWEST_SAMPLES, min(int(BATCH_SECONDS / max(seconds_each, 1e-9)), most))
        batch = tuple(shuffled(array, count) for array in inputs)
        predict(batch)
        seconds_each = seconds_of(partial(predict, batch)) / count
    return batch


def shuffled(array: Array, samples: int) -> Array:
    """Arrays like this one, ``samples`` of them, each with its elements in random order.

    They lie one after the other, as batches do; ``permuted`` turns rows that are one into columns.
    """
    rows = np.broadcast_to(array.reshape(-1), (samples, array.size))
    mixed = np.random.default_rng(0).permuted(rows, axis=1)
    return np.ascontiguousarray(mixed).reshape(samples, *array.shape)


def loop_over(infer: Callable[..., Any], batch: Sequence[Array]) -> Call:
    """One inference per sample, the outputs kept in a list."""
    samples = list(zip(*(list(array) for array in batch), strict=True))

    def loop() -> list[Any]:
        return [infer(*sample) for sample in samples]

    return loop


def rates(
    calls: Mapping[Key, tuple[Call, int]], turns: int, seconds: float = math.inf
) -> dict[Key, Spread]:
    """Samples per second of calls, each with the number of samples that it takes."""
    per_second: dict[Key, list[float]] = {key: [] for key in calls}
    for call, _ in calls.values():
        call()  # the first one is for the caches
    with _no_collections():
        for _ in turns_within(seconds, turns):
            for key, (call, samples) in calls.items():
                per_second[key].append(samples / seconds_of(call))
    return {key: Spread.of(values) for key, values in per_second.items()}


# -- operators -------------------------------------------------------------------------


def operator_times(
    micro: MicroInterpreter, inputs: Sequence[Array], turns: int, seconds: float = math.inf
) -> list[OperatorTime]:
    """Every operator of the main subgraph, run on what those before it leave behind.

    Each runs several times in a row, so that the call from Python, which is measured too and
    subtracted, does not count.
    """
    operators = micro.model.main.operators
    calls = [_operator_call(micro, number) for number in range(len(operators))]
    samples: list[list[float]] = [[] for _ in calls]
    per_turn = [0] * len(calls)
    with _no_collections():
        for turn in turns_within(seconds, turns + 1):
            for index, array in enumerate(inputs):
                micro.input(index)[...] = array
            for number, (call, nothing) in enumerate(calls):
                if not turn:
                    per_turn[number] = calls_in(_OPERATOR_SECONDS, call)
                    continue
                overhead = seconds_of(nothing, per_turn[number]) if nothing else 0.0
                taken = seconds_of(call, per_turn[number]) - overhead
                samples[number].append(max(taken, 0.0))
    micro.reset()
    macs = [op.macs for op in statistics(micro.model).operators if op.subgraph == 0]
    tensors = micro.model.main.tensors
    compiled = micro.compiled
    return [
        OperatorTime(
            index=number,
            name=operator.name,
            output=tensor_text(tensors[operator.outputs[0]]) if operator.outputs else "",
            kernel="numpy" if compiled is None else compiled.kernel(number),
            macs=macs[number],
            seconds=Spread.of(samples[number]),
        )
        for number, operator in enumerate(operators)
    ]


def _operator_call(micro: MicroInterpreter, number: int) -> tuple[Call, Call | None]:
    """Runs an operator; and the same with nothing to do, for a native one."""
    compiled = micro.compiled
    if compiled is None or compiled.steps[number] < 0:
        return partial(micro.invoke_operator_in_turn, number), None
    step = compiled.steps[number]
    run = compiled.program.run
    return partial(run, step, step + 1), partial(run, step, step)
