"""A benchmark's figures, for tests."""

from arenite.analysis.benchmark import BatchRate, Benchmark, EngineTimes, OperatorTime, Spread
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
    threads=1,
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
