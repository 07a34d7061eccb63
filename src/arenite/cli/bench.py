"""``arenite bench``: how fast a model runs, side by side with Arenite's peers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arenite.cli.common import AsJson, ModelPath, show
from arenite.cli.device import RESULTS, DeviceOptions
from arenite.cli.engine import EngineOptions
from arenite.cli.operators import Ops, load_model
from arenite.cli.quantity import checked

Against = Annotated[
    str,
    typer.Option(
        metavar="PEERS", help="Peers to measure too: some of litert, tflm and mnn, with commas."
    ),
]
Repeat = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Turns per engine, of about 2 ms each; by default up to 100, as many as half a second "
        "for every part allows.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="S", help="Seed of random inputs.")]


def bench(
    model: ModelPath,
    *,
    against: Against = "",
    repeat: Repeat = None,
    seed: Seed = 0,
    firmware: Annotated[DeviceOptions, RESULTS],
    engine: EngineOptions,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model's speed: loading, single inferences, batches, every operator.

    Example: arenite bench model.tflite --against litert,tflm
    """
    from arenite.analysis.benchmark import bench_facts
    from arenite.cli.measure import measure
    from arenite.peers.packages import peers_called
    from arenite.report.bench import render_bench

    names = [name.strip() for name in against.split(",") if name.strip()]
    peers = checked(peers_called, names, option="--against")
    firmware.check()
    device = firmware.chosen(None, load_model(model, ops))
    benchmark = measure(Path(model), peers, repeat, seed, engine.setup(device.target), ops=ops)
    words = device.note("these are times of this machine, with the results of")
    show(benchmark, bench_facts, render_bench, words, as_json=as_json)
