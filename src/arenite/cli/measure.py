"""What ``arenite bench`` measures, in order: trials, loads, inferences, batches, operators."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arenite import Interpreter, Model
from arenite.analysis.benchmark import BatchRate, Benchmark, EngineTimes, OperatorTime
from arenite.analysis.inputs.files import random_inputs
from arenite.analysis.inputs.values import Array
from arenite.analysis.machine import machine
from arenite.cli import timing
from arenite.cli.common import progress
from arenite.cli.operators import load_model
from arenite.cli.peers import ARENITE, Infer, Peer, hushed
from arenite.cli.trial import Trial, try_out
from arenite.ops import resolver_of
from arenite.runtime.interpreter_config import Setup
from arenite.runtime.micro_interpreter import MicroInterpreter

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

#: Arenite as it is by default.
DEFAULT = Setup.of(None, "auto")

#: At most how many turns, and after how many seconds none begins.
Amount = tuple[int, float]
Loads = Mapping[str, Callable[..., Infer]]


def measure(
    path: Path,
    peers: Sequence[Peer],
    repeat: int | None = None,
    seed: int = 0,
    setup: Setup = DEFAULT,
    *,
    ops: Path | None = None,
) -> Benchmark:
    """Measure Arenite and those peers that can run a model, in turn, in this process.

    Args:
        path: The model's file.
        peers: The peers.
        repeat: Turns per engine, of about 2 ms each; None for up to 100, as many as half a second
            for every part of the benchmark allows.
        seed: Seed of the random inputs.
        setup: Arenite's target, engine and threads; peers have one thread.
        ops: A module with the model's own operators.

    Raises:
        AreniteError: Arenite itself cannot run the model.
    """
    model = load_model(path, ops)
    amount = (_TURNS, _PART_SECONDS) if repeat is None else (repeat, math.inf)
    chosen = setup.options
    own = {ARENITE.name: {**chosen, "operators": model.registrations}}
    micro = MicroInterpreter.in_smallest_arena(model, resolver_of(model), **chosen)
    inputs = _inputs(model, seed)
    named = {ARENITE.name: {**chosen, "ops": ops and str(ops)}}
    with _trials(path, peers, seed, named) as trials:
        # Arenite runs the model in this process already, whatever became of its trial.
        running = [trial for trial in trials if trial.engine is ARENITE or not trial.reason]
        loads = {
            trial.engine.name: partial(
                trial.engine.load, trial.path, **own.get(trial.engine.name, {})
            )
            for trial in running
        }
        engines, infer, compared = _engine_times(model, running, loads, inputs, amount)
        seconds = {engine.name: engine.inference.median for engine in engines}
        if setup.threads > 1:  # batches have threads of their own
            infer[ARENITE.name] = loads[ARENITE.name](threads=1)
        return Benchmark(
            file=str(path),
            machine=machine(),
            target=setup.target,
            engine=micro.engine,
            isa=(setup.isa or _isa()) if micro.engine == "native" else "",
            threads=setup.threads,
            engines=engines,
            absent={trial.engine.name: trial.reason for trial in trials if trial not in running},
            compared_inputs=compared,
            batches=tuple(_batches(infer, inputs, seconds, amount)),
            operators=operator_times(micro, inputs, *amount),
        )


def operator_times(
    micro: MicroInterpreter, inputs: Sequence[Array], repeat: int, limit: float = math.inf
) -> tuple[OperatorTime, ...]:
    """The times of every operator of a planned model."""
    turns = min(repeat, _MOST_OPERATOR_TURNS)
    return tuple(timing.operator_times(micro, inputs, turns, limit))


def _isa() -> str:
    from arenite.native.program import isa

    return isa()


def _inputs(model: Model, seed: int) -> list[Array]:
    return [one.array for one in random_inputs(model, seed)]


@contextmanager
def _trials(
    path: Path, peers: Sequence[Peer], seed: int, own: Mapping[str, Mapping[str, Any]]
) -> Iterator[list[Trial]]:
    with tempfile.TemporaryDirectory() as folder:
        yield [
            try_out(engine, path, seed, Path(folder), own.get(engine.name, {}))
            for engine in (ARENITE, *peers)
        ]


# -- engines -----------------------------------------------------------------------------


def _engine_times(
    model: Model,
    running: Sequence[Trial],
    loads: Loads,
    inputs: Sequence[Array],
    amount: Amount,
) -> tuple[tuple[EngineTimes, ...], dict[str, Infer], int]:
    repeat, limit = amount
    with hushed():
        rounds = min(repeat, _MOST_LOADS)
        load_times, first, infer = timing.load_times(loads, inputs, rounds, limit)
        equal, compared = _equal_outputs(model, loads, limit)
    calls = {name: partial(call, *inputs) for name, call in infer.items()}
    with progress("timing", repeat, len(calls) * repeat * timing.TURN_SECONDS) as advance:
        inference = timing.take_turns(calls, repeat, advance, limit)
    engines = (
        EngineTimes(
            name=name,
            version=trial.engine.version,
            load=load_times[name],
            first=first[name],
            inference=inference[name],
            cold=trial.cold_seconds or {},
            equal_outputs=equal.get(name) if trial.engine.gives_bits else None,
        )
        for trial in running
        for name in (trial.engine.name,)
    )
    return tuple(engines), infer, compared


def _equal_outputs(model: Model, loads: Loads, limit: float) -> tuple[dict[str, int], int]:
    """On how many inputs each engine's outputs are TFLM's, and of how many.

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
    interp = infer["arenite"]
    assert isinstance(interp, Interpreter)
    predict = partial(interp.predict, stateful=False)  # which only models with state look at
    batch = timing.batch_like(predict, inputs, seconds["arenite"])
    entries: dict[tuple[str, int], tuple[timing.Call, int]] = {}
    for threads in THREADS:
        run = partial(predict, batch, threads=threads)
        entries["arenite", threads] = run, len(batch[0])
    for name in (name for name in infer if name != "arenite"):
        count = max(_FEWEST_SAMPLES, int(timing.BATCH_SECONDS / seconds[name]))
        part = [array[:count] for array in batch]
        entries[name, 0] = timing.loop_over(infer[name], part), len(part[0])
    turns = max(3, min(repeat // 2, _MOST_BATCHES))
    for (engine, threads), spread in timing.rates(entries, turns, limit).items():
        yield BatchRate(engine, threads, entries[engine, threads][1], spread)
