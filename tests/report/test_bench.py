"""A benchmark's figures in a terminal."""

from dataclasses import replace

import pytest

from arenite.analysis.benchmark import Benchmark
from arenite.report.bench import render_bench
from tests.analysis.benchmarks import BENCHMARK


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
