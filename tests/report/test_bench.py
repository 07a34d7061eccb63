"""A benchmark's figures in a terminal and as facts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from arenite.report.bench import (
    BatchRate,
    Benchmark,
    EngineTimes,
    OperatorTime,
    Spread,
    bench_facts,
    render_bench,
)
from arenite.target import Target


def spread(median: float) -> Spread:
    return Spread(median, 0.9 * median, 1.2 * median, 100)


def engine(name: str, seconds: float, equal: int | None = None) -> EngineTimes:
    cold = {"load": 0.02, "first": 1e-4}
    return EngineTimes(name, "1.0", spread(3e-3), spread(3 * seconds), spread(seconds), cold, equal)


BENCHMARK = Benchmark(
    file="kws.tflite",
    machine={"cpu": "A CPU", "flags": ["avx2", "avx512_vnni"], "cores": 2},
    target=Target("cortex-m4"),
    engine="native",
    isa="avx512vnni",
    engines=(engine("arenite", 8e-6, 20), engine("litert", 2e-5, 14), engine("tflm", 2.5e-3)),
    absent={"mnn": "not installed (pip install MNN)"},
    compared_inputs=20,
    batches=(
        BatchRate("arenite", 1, 2500, spread(125_000)),
        BatchRate("arenite", 2, 2500, spread(250_000)),
        BatchRate("litert", 0, 1000, spread(50_000)),
    ),
    operators=(
        OperatorTime(0, "CONV_2D", "int8[1,25,5,64]", "avx512vnni", 320_000, spread(1e-6)),
        OperatorTime(1, "FULLY_CONNECTED", "int8[1,12]", "avx512vnni", 768, spread(5e-7)),
        OperatorTime(2, "MY_OP", "int8[1,12]", "python", None, spread(2.5e-6)),
    ),
)


def lines(width: int, benchmark: Benchmark = BENCHMARK) -> list[str]:
    return [line.plain for line in render_bench(benchmark, width)]


def test_engines_batches_operators_and_the_machine_are_shown() -> None:
    assert lines(80) == [
        "kws.tflite",
        "",
        "         load+plan    first  inference       p10 .. p90  x arenite  TFLM's bits",
        "arenite    3.00 ms  24.0 µs    8.00 µs  7.20 .. 9.60 µs                20 of 20",
        "litert     3.00 ms  60.0 µs    20.0 µs  18.0 .. 24.0 µs       2.50     14 of 20",
        "tflm       3.00 ms  7.50 ms    2.50 ms  2.25 .. 3.00 ms        312",
        "mnn      left out: not installed (pip install MNN)",
        "",
        "batch               samples/s          p10 .. p90",
        "predict, 1 thread     125,000  112,500 .. 150,000",
        "predict, 2 threads    250,000  225,000 .. 300,000  2.00 times one thread",
        "litert, a loop         50,000    45,000 .. 60,000  predict is 2.50 times as fast",
        "",
        "#  operator         output              time  share  GMAC/s  kernel",
        "0  CONV_2D          int8[1,25,5,64]  1.00 µs    25%     320  avx512vnni",
        "1  FULLY_CONNECTED  int8[1,12]       0.50 µs    12%     1.5  avx512vnni",
        "2  MY_OP            int8[1,12]       2.50 µs    63%          python",
        "",
        "machine   A CPU (avx2, avx512_vnni)",
        "arenite   native kernels, avx512vnni",
        "target    cortex-m4, TFLM with CMSIS-NN, GCC, structs of ilp32",
        "peers     litert 1.0, tflm 1.0",
        "cold      load + plan in a fresh process: arenite 20.0 ms, litert 20.0 ms, tflm 20.0 ms",
        "times     medians of 100 turns, one thread; x arenite: times as long as Arenite",
    ]


@pytest.mark.parametrize("width", [50, 60, 80, 120])
def test_tables_fit_the_terminal(width: int) -> None:
    *tables, machine, _, _, _, _, _ = lines(width)
    assert machine.startswith("machine")
    assert max(map(len, tables)) <= width


def test_a_wide_terminal_shows_the_operators_spread() -> None:
    assert any("7.20 .. 9.60" in line for line in lines(120))
    assert any(line.startswith("0  CONV_2D") and "0.90 .. 1.20 µs" in line for line in lines(120))


def test_arenite_alone_has_no_peers() -> None:
    alone = replace(
        BENCHMARK, engines=BENCHMARK.engines[:1], batches=BENCHMARK.batches[:2], absent={}, isa=""
    )
    text = "\n".join(lines(80, alone))
    assert "x arenite" not in text
    assert "peers" not in text
    assert "arenite   NumPy's reference kernels" in text


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
