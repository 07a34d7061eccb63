"""What ``arenite bench`` measures, in order: trials, loads, inferences, batches, operators."""

from __future__ import annotations

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
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.runtime.setup import Setup

#: Random inputs on which outputs are compared.
COMPARED = 20
THREADS = (1, 2)
_MOST_LOADS = 20
_MOST_BATCHES = 40
_MOST_OPERATOR_TURNS = 50
_FEWEST_SAMPLES = 4

#: Arenite as it is by default.
DEFAULT = Setup.of(None, "auto")

Loads = Mapping[str, Callable[..., Infer]]


def measure(
    path: Path,
    peers: Sequence[Peer],
    repeat: int,
    seed: int = 0,
    setup: Setup = DEFAULT,
    *,
    ops: Path | None = None,
) -> Benchmark:
    """Measure Arenite and those peers that can run a model, in turn, in this process.

    Args:
        path: The model's file.
        peers: The peers.
        repeat: Turns per engine, of about 2 ms each.
        seed: Seed of the random inputs.
        setup: Arenite's target, engine and threads; peers have one thread.
        ops: A module with the model's own operators.

    Raises:
        AreniteError: Arenite itself cannot run the model.
    """
    model = load_model(path, ops)
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
        engines, infer = _engine_times(model, running, loads, inputs, repeat)
        seconds = {engine.name: engine.inference.median for engine in engines}
        if setup.threads > 1:  # batches have threads of their own
            infer[ARENITE.name] = loads[ARENITE.name](threads=1)
        return Benchmark(
            file=str(path),
            machine=machine(),
            target=setup.target,
            engine=micro.engine,
            isa=_isa() if micro.engine == "native" else "",
            threads=setup.threads,
            engines=engines,
            absent={trial.engine.name: trial.reason for trial in trials if trial not in running},
            compared_inputs=COMPARED,
            batches=tuple(_batches(infer, inputs, seconds, repeat)),
            operators=operator_times(micro, inputs, repeat),
        )


def operator_times(
    micro: MicroInterpreter, inputs: Sequence[Array], repeat: int
) -> tuple[OperatorTime, ...]:
    """The times of every operator of a planned model."""
    return tuple(timing.operator_times(micro, inputs, min(repeat, _MOST_OPERATOR_TURNS)))


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
    model: Model, running: Sequence[Trial], loads: Loads, inputs: Sequence[Array], repeat: int
) -> tuple[tuple[EngineTimes, ...], dict[str, Infer]]:
    with hushed():
        load_times, first, infer = timing.load_times(loads, inputs, min(repeat, _MOST_LOADS))
        equal = _equal_outputs(model, loads)
    calls = {name: partial(call, *inputs) for name, call in infer.items()}
    with progress("timing", repeat, len(calls) * repeat * timing.TURN_SECONDS) as advance:
        inference = timing.take_turns(calls, repeat, advance)
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
    return tuple(engines), infer


def _equal_outputs(model: Model, loads: Loads) -> dict[str, int]:
    """On how many inputs each engine's outputs are TFLM's; nothing where TFLM is missing.

    Of floats nobody expects the same bits. Engines start anew: they may have state.
    """
    if "tflm" not in loads or any(t.type.dtype.kind == "f" for t in model.outputs):
        return {}
    samples = [_inputs(model, seed) for seed in range(COMPARED)]
    outputs = {}
    for name, engine in loads.items():
        infer = engine()
        outputs[name] = [_copies(infer(*sample)) for sample in samples]
    return {
        name: sum(map(_same, outputs["tflm"], results))
        for name, results in outputs.items()
        if name != "tflm"
    }


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
    repeat: int,
) -> Iterator[BatchRate]:
    """Rates of ``predict`` on one thread and two, and of a loop over each peer's inferences."""
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
    for (engine, threads), spread in timing.rates(entries, turns).items():
        yield BatchRate(engine, threads, entries[engine, threads][1], spread)
