"""Measurements of ``arenite bench``: Arenite and its peers, each tried in its own process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from arenite.analysis.bench import Runner, measured
from arenite.analysis.benchmark import Benchmark
from arenite.cli.common import progress
from arenite.cli.operators import load_model
from arenite.cli.trial import ARENITE, Trial, try_out
from arenite.peers import Peer, hushed
from arenite.processes.folders import scratch_folder
from arenite.runtime.interpreter_config import Setup

#: Arenite as it is by default.
DEFAULT = Setup.of(None, "auto")


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
    own = {ARENITE.name: {**setup.options, "operators": model.registrations}}
    named = {ARENITE.name: {**setup.options, "ops": ops and str(ops)}}
    with _trials(path, peers, seed, named) as trials:
        # Arenite runs the model in this process already, whatever became of its trial.
        running = [trial for trial in trials if trial.engine is ARENITE or not trial.reason]
        found = measured(
            model,
            setup,
            [_runner(trial, own.get(trial.engine.name, {})) for trial in running],
            absent={trial.engine.name: trial.reason for trial in trials if trial not in running},
            repeat=repeat,
            seed=seed,
            bar=progress,
            hush=hushed,
        )
    return replace(found, file=str(path))


def _runner(trial: Trial, settings: Mapping[str, Any]) -> Runner:
    engine = trial.engine
    load = partial(engine.load, trial.path, **settings)
    return Runner(engine.name, engine.version, load, engine.gives_bits, trial.cold_seconds or {})


@contextmanager
def _trials(
    path: Path, peers: Sequence[Peer], seed: int, own: Mapping[str, Mapping[str, Any]]
) -> Iterator[list[Trial]]:
    with scratch_folder() as folder:
        yield [
            try_out(engine, path, seed, folder, own.get(engine.name, {}))
            for engine in (ARENITE, *peers)
        ]
