"""A benchmark's figures as facts."""

import json

import pytest

from arenite.analysis.benchmark import Spread, bench_facts
from tests.analysis.benchmarks import BENCHMARK


def test_a_spread_is_of_percentiles() -> None:
    assert Spread.of([float(n) for n in range(101)]) == Spread(50.0, 10.0, 90.0, 101)


def test_facts_are_plain_numbers_in_seconds() -> None:
    facts = json.loads(json.dumps(bench_facts(BENCHMARK)))
    assert facts["engines"][1]["inference"] == {
        "median": 2e-5,
        "p10": 1.8e-5,
        "p90": pytest.approx(2.4e-5),
        "samples": 100,
    }
    rates = [operator["giga_macs_per_second"] for operator in facts["operators"]]
    assert rates == [pytest.approx(320), pytest.approx(1.536), None]
