"""Samples per second of ``ar.evaluate``: next to ``predict``, and on processes.

``python benchmarks/evaluate.py [MODEL] [--samples N] [--turns N] [--workers N] [--dask]``

The samples are random values of the model's inputs. All ways are measured in turns, an evaluation
with its metrics and the times of single calls; reported is the median of the quotients with
``predict``, and its quartiles.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import arenite as ar
from arenite.analysis.machine import machine
from shared import DIGITS


@contextmanager
def executor_of(workers: int, *, dask: bool) -> Iterator[Executor]:
    if not dask:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            yield pool
        return
    from dask.distributed import Client, LocalCluster  # noqa: PLC0415 - an extra

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client.get_executor()


def seconds(way: Callable[[], object]) -> float:
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", type=Path, default=DIGITS)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--dask", action="store_true", help="processes of Dask's")
    said = parser.parse_args()
    interpreter = ar.Interpreter(said.model)
    tensor, output = interpreter.model.inputs[0], interpreter.model.outputs[0]
    rng = np.random.default_rng(0)
    x = rng.integers(-128, 128, (said.samples, *tensor.shape)).astype(tensor.type.dtype)
    y = rng.integers(0, max(2, output.size), said.samples)
    print(f"{said.model.name}, {said.samples} samples; {machine()}")
    with executor_of(said.workers, dask=said.dask) as executor:
        ways = {
            "predict": lambda: interpreter.predict(x, quantize=True),
            "evaluate": lambda: ar.evaluate(interpreter, (x, y), scoring=ar.Scoring("classify")),
            f"evaluate on {said.workers} processes": lambda: ar.evaluate(
                interpreter, (x, y), scoring=ar.Scoring("classify"), spread=ar.Spread(executor)
            ),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(said.turns + 1):
            for name, way in ways.items():
                spent = seconds(way)
                if turn:  # the first one starts workers
                    taken[name].append(spent)
    for name, times in taken.items():
        quotients = [a / b for a, b in zip(taken["predict"], times, strict=True)]
        low, middle, high = statistics.quantiles(quotients, n=4)
        rate = said.samples / statistics.median(times)
        print(f"{name:28}{rate:>10,.0f}/s  x{middle:.2f} (quartiles {low:.2f} .. {high:.2f})")


if __name__ == "__main__":
    main()
