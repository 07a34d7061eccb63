"""``ar.bench``: how fast a model runs on this machine: loads, inferences, batches, operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from typing import Any, Literal

import numpy as np

from arenite.analysis import timing
from arenite.analysis.benchmark import BatchRate, Benchmark, EngineTimes, Spread
from arenite.analysis.inputs.files import random_inputs
from arenite.analysis.machine import machine
from arenite.formats import Source, model_of
from arenite.model import Model
from arenite.model.model import Array
from arenite.ops import resolver_of
from arenite.options import optional, takes, whole
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.interpreter_config import Setup
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import Target

#: Random inputs on which outputs are compared, at most.
COMPARED = 20
THREADS = (1, 2)
_MOST_LOADS = 20
_MOST_BATCHES = 40
_MOST_OPERATOR_TURNS = 50
_FEWEST_SAMPLES = 4
#: Turns of each engine, as far as there is time for them.
_TURNS = 100
#: What a part takes that is not told how often: loads, comparisons, inferences, batches, operators.
_PART_SECONDS = 0.5
#: Arenite's name among engines.
OWN = "arenite"

#: ``infer(*inputs)`` runs one inference and returns an output, or a list of several.
Infer = Callable[..., Any]
#: At most how many turns, and after how many seconds none begins.
Amount = tuple[int, float]
#: ``bar(title, steps, seconds)``: what a step is told to.
Bar = Callable[[str, int, float], AbstractContextManager[Callable[..., None]]]


@dataclass(frozen=True)
class Runner:
    """Interpreters that run the model.

    Attributes:
        name: The engine.
        version: Its version.
        load: Loads and plans; Arenite's takes ``threads``.
        gives_bits: Whether outputs can be compared with TFLM's bit for bit.
        cold: ``"load"`` and ``"first"`` in a fresh process, where that was tried.
    """

    name: str
    version: str
    load: Callable[..., Infer]
    gives_bits: bool = True
    cold: Mapping[str, float] = field(default_factory=dict)


@takes(repeat=optional(whole(1, 1_000_000)), seed=whole(0))
def bench(
    model: Model | Source,
    *,
    target: Target | str | None = None,
    engine: Literal["auto", "native", "reference"] = "auto",
    threads: int = 1,
    isa: str | None = None,
    repeat: int | None = None,
    seed: int = 0,
) -> Benchmark:
    """Measure a model's speed on this machine; ``arenite bench`` measures peers beside it.

    >>> ar.bench("kws.tflite").engines[0].inference.median          # doctest: +SKIP

    Args:
        model: A model, a file's path, or a file's bytes. Of a model, loading is planning alone.
        target: Whose results: a firmware's, or ``tflite_micro``'s; times are of this machine.
        engine: What computes.
        threads: Threads that share an inference.
        isa: Whose kernels run; by default the processor's best.
        repeat: Turns, of about 2 ms each; by default up to 100, as many as half a second for
            every part allows.
        seed: Seed of the random inputs.

    Raises:
        AreniteError: The model is broken, or does not run.
        ValueError: There is no such target or instruction set.
    """
    setup = Setup.of(target, engine, threads=threads, isa=isa)
    found = model_of(model)

    def load(**more: Any) -> Infer:
        again = model if isinstance(model, Model) else model_of(model)
        return Interpreter(again, **{**setup.options, **more})

    return measured(found, setup, [Runner(OWN, own_version(), load)], repeat=repeat, seed=seed)


def own_version() -> str:
    """Arenite's, as it is installed; empty where it is not."""
    try:
        return metadata.version(OWN)
    except metadata.PackageNotFoundError:
        return ""


@contextmanager
def _no_bar(_title: str, _steps: int, _seconds: float) -> Iterator[Callable[..., None]]:
    yield lambda steps=1: None


def measured(
    model: Model,
    setup: Setup,
    runners: Sequence[Runner],
    *,
    absent: Mapping[str, str] | None = None,
    repeat: int | None = None,
    seed: int = 0,
    bar: Bar = _no_bar,
    hush: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Benchmark:
    """Measure runners in turn, in this process.

    Args:
        model: The model.
        setup: Arenite's.
        runners: Arenite first.
        absent: Engines that cannot run, with the reason.
        repeat: Turns; None for as many as there is time for.
        seed: Seed of the random inputs.
        bar: Draws how far it is.
        hush: Entered while peers are loaded, which greet.
    """
    amount = (_TURNS, _PART_SECONDS) if repeat is None else (repeat, math.inf)
    micro = MicroInterpreter.in_smallest_arena(model, resolver_of(model), **setup.options)
    inputs = _inputs(model, seed)
    with hush():
        loaded = _loaded(model, runners, inputs, amount)
    engines = _engine_times(runners, loaded, inputs, amount, bar)
    infer, turns = loaded.infer, min(amount[0], _MOST_OPERATOR_TURNS)
    seconds = {engine.name: engine.inference.median for engine in engines}
    if setup.threads > 1:  # batches have threads of their own
        infer[OWN] = runners[0].load(threads=1)
    return Benchmark(
        file=model.source,
        machine=machine(),
        target=setup.target,
        engine=micro.engine,
        isa=(setup.isa or _isa()) if micro.engine == "native" else "",
        threads=setup.threads,
        engines=engines,
        absent=absent or {},
        compared_inputs=loaded.compared,
        batches=tuple(_batches(infer, inputs, seconds, amount)),
        operators=tuple(timing.operator_times(micro, inputs, turns, amount[1])),
    )


def _isa() -> str:
    from arenite.native.program import isa  # noqa: PLC0415 - may be absent

    return isa()


def _inputs(model: Model, seed: int) -> list[Array]:
    return [one.array for one in random_inputs(model, seed)]


# -- engines -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Loaded:
    """Results of loading: times of loads and first inferences, engines, equal outputs."""

    load: dict[str, Spread]
    first: dict[str, Spread]
    infer: dict[str, Infer]
    equal: dict[str, int]
    compared: int


def _loaded(
    model: Model, runners: Sequence[Runner], inputs: Sequence[Array], amount: Amount
) -> _Loaded:
    repeat, limit = amount
    loads = {runner.name: runner.load for runner in runners}
    times = timing.load_times(loads, inputs, min(repeat, _MOST_LOADS), limit)
    return _Loaded(*times, *_equal_outputs(model, loads, limit))


def _engine_times(
    runners: Sequence[Runner], loaded: _Loaded, inputs: Sequence[Array], amount: Amount, bar: Bar
) -> tuple[EngineTimes, ...]:
    repeat, limit = amount
    calls = {name: partial(call, *inputs) for name, call in loaded.infer.items()}
    with bar("timing", repeat, len(calls) * repeat * timing.TURN_SECONDS) as advance:
        inference = timing.take_turns(calls, repeat, advance, limit)
    return tuple(
        EngineTimes(
            name=one.name,
            version=one.version,
            load=loaded.load[one.name],
            first=loaded.first[one.name],
            inference=inference[one.name],
            cold=one.cold,
            equal_outputs=loaded.equal.get(one.name) if one.gives_bits else None,
        )
        for one in runners
    )


def _equal_outputs(
    model: Model, loads: Mapping[str, Callable[..., Infer]], limit: float
) -> tuple[dict[str, int], int]:
    """Inputs on which each engine's outputs are TFLM's, counted, and how many were compared.

    Nothing where TFLM is missing, and of floats: of them nobody expects the same bits. Engines
    start anew: they may have state.
    """
    if "tflm" not in loads or any(t.type.dtype.kind == "f" for t in model.outputs):
        return {}, 0
    infer = {name: load() for name, load in loads.items()}
    equal, compared = dict.fromkeys((name for name in loads if name != "tflm"), 0), 0
    for seed in timing.turns_within(limit, COMPARED):
        sample = _inputs(model, seed)
        outputs = {name: _copies(call(*sample)) for name, call in infer.items()}
        for name in equal:
            equal[name] += _same(outputs["tflm"], outputs[name])
        compared += 1
    return equal, compared


def _copies(outputs: Any) -> list[Array]:
    several = outputs if isinstance(outputs, list | tuple) else [outputs]
    return [np.array(output) for output in several]


def _same(one: list[Array], other: list[Array]) -> bool:
    return all(map(np.array_equal, one, other))


# -- batches -----------------------------------------------------------------------------


def _batches(
    infer: Mapping[str, Infer],
    inputs: Sequence[Array],
    seconds: Mapping[str, float],
    amount: Amount,
) -> Iterator[BatchRate]:
    """Rates of ``predict`` on one thread and two, and of a loop over each peer's inferences."""
    repeat, limit = amount
    interp = infer[OWN]
    assert isinstance(interp, Interpreter)
    predict = partial(interp.predict, stateful=False)  # which only models with state look at
    batch = timing.batch_like(predict, inputs, seconds[OWN])
    entries: dict[tuple[str, int], tuple[timing.Call, int]] = {}
    for threads in THREADS:
        run = partial(predict, batch, threads=threads)
        entries[OWN, threads] = run, len(batch[0])
    for name in (name for name in infer if name != OWN):
        count = max(_FEWEST_SAMPLES, int(timing.BATCH_SECONDS / seconds[name]))
        part = [array[:count] for array in batch]
        entries[name, 0] = timing.loop_over(infer[name], part), len(part[0])
    turns = max(3, min(repeat // 2, _MOST_BATCHES))
    for (engine, threads), spread in timing.rates(entries, turns, limit).items():
        yield BatchRate(engine, threads, entries[engine, threads][1], spread)
