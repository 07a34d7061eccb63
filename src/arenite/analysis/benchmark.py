"""A benchmark's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from arenite.callable_modules import html_of
from arenite.target import Target


@dataclass(frozen=True)
class Spread:
    """The median of many measurements, and what nine of ten are above and below."""

    median: float
    p10: float
    p90: float
    samples: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one measurement."""
        low, median, high = (float(p) for p in np.percentile(values, (10, 50, 90)))
        return cls(median, low, high, len(values))


@dataclass(frozen=True)
class EngineTimes:
    """One engine on one model; all in seconds.

    Attributes:
        name: The engine.
        version: Its version.
        load: Load and plan, in a process that did it before.
        first: The first inference after that.
        inference: Inferences from then on, inputs written and outputs read.
        cold: ``"load"`` and ``"first"`` in a fresh process that has imported the engine.
        equal_outputs: On how many of the compared inputs its output is TFLM's; None where
            they were not compared.
    """

    name: str
    version: str
    load: Spread
    first: Spread
    inference: Spread
    cold: Mapping[str, float]
    equal_outputs: int | None = None


@dataclass(frozen=True)
class BatchRate:
    """Samples per second of a whole batch; ``threads`` is 0 for a loop over inferences."""

    engine: str
    threads: int
    samples: int
    per_second: Spread


@dataclass(frozen=True)
class OperatorTime:
    """One operator: what runs it (an instruction set, ``"python"``, ``"numpy"``), and how long."""

    index: int
    name: str
    output: str
    kernel: str
    macs: int | None
    seconds: Spread

    @property
    def giga_macs_per_second(self) -> float | None:
        """Multiply-accumulates per nanosecond; None where there are none, or no time."""
        if not self.macs or not self.seconds.median:
            return None
        return self.macs / self.seconds.median / 1e9


@dataclass(frozen=True)
class Benchmark:
    """All that ``arenite bench`` measures.

    Attributes:
        file: The model's file.
        machine: See :func:`arenite.analysis.machine.machine`.
        target: Which firmware's bits and memory Arenite has.
        engine: What computes: ``"native"`` or ``"reference"``.
        isa: The instruction set in use; empty for the reference.
        threads: That share one of Arenite's inferences; peers have one.
        engines: Arenite first.
        absent: Engines that were asked for and could not run, with the reason.
        compared_inputs: How many inputs outputs were compared on.
        batches: Rates of ``predict``, and of the peers' loops.
        operators: Arenite's operators.
    """

    file: str
    machine: Mapping[str, Any]
    target: Target
    engine: str
    isa: str
    threads: int
    engines: tuple[EngineTimes, ...]
    absent: Mapping[str, str]
    compared_inputs: int
    batches: tuple[BatchRate, ...]
    operators: tuple[OperatorTime, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A row per engine, as ``pandas.DataFrame`` takes them: medians, in seconds."""
        return [
            {
                "engine": one.name,
                "version": one.version,
                "load": one.load.median,
                "first": one.first.median,
                "inference": one.inference.median,
            }
            for one in self.engines
        ]

    _repr_html_ = html_of


def bench_facts(benchmark: Benchmark) -> dict[str, Any]:
    """Everything as plain data; times are in seconds."""
    facts = asdict(benchmark)
    for entry, operator in zip(facts["operators"], benchmark.operators, strict=True):
        entry["giga_macs_per_second"] = operator.giga_macs_per_second
    return facts
