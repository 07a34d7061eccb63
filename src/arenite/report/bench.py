"""A benchmark's figures as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from rich.text import Text

from arenite.analysis.benchmark import BatchRate, Benchmark, Spread
from arenite.model.text import printable
from arenite.report.text import Column, duration, number, table


def render_bench(benchmark: Benchmark, width: int) -> Iterator[Text]:
    """Engines side by side, batches, operators, the machine."""
    yield Text(printable(benchmark.file), style="bold")
    yield Text()
    yield from _engines(benchmark, width)
    names = [*benchmark.absent, *(engine.name for engine in benchmark.engines)]
    for name, reason in benchmark.absent.items():
        yield Text.assemble(
            (f"{name:{max(map(len, names))}s}", "cyan"), f"  left out: {printable(reason)}"
        )
    yield Text()
    yield from _batches(benchmark, width)
    yield Text()
    yield from _operators(benchmark, width)
    yield Text()
    yield from _about(benchmark)


def _engines(benchmark: Benchmark, width: int) -> list[Text]:
    engines = benchmark.engines
    own = engines[0].inference.median
    compared = benchmark.compared_inputs
    columns = [
        Column("", [engine.name for engine in engines], style="cyan"),
        Column("load+plan", [duration(e.load.median) for e in engines], "right", keep=1),
        Column("first", [duration(e.first.median) for e in engines], "right", keep=2),
        Column("inference", [duration(e.inference.median) for e in engines], "right"),
        Column("p10 .. p90", [_range(e.inference) for e in engines], "right", keep=4),
        Column(
            "x arenite", ["", *(_ratio(e.inference.median / own) for e in engines[1:])], "right"
        ),
        Column(
            "TFLM's bits", [_equal(e.equal_outputs, compared) for e in engines], "right", keep=3
        ),
    ]
    return table(columns, width)


def _equal(count: int | None, compared: int) -> str:
    return "" if count is None else f"{count} of {compared}"


def _batches(benchmark: Benchmark, width: int) -> list[Text]:
    rates = benchmark.batches
    columns = [
        Column("batch", [_batch_name(rate) for rate in rates], style="cyan"),
        Column("samples/s", [number(round(r.per_second.median)) for r in rates], "right"),
        Column("p10 .. p90", [_rates(r.per_second) for r in rates], "right", keep=2),
        Column("", [_compared(rate, rates) for rate in rates], keep=1),
    ]
    return table(columns, width)


def _batch_name(rate: BatchRate) -> str:
    if not rate.threads:
        return f"{rate.engine}, a loop"
    return f"predict, {rate.threads} thread{'s' if rate.threads > 1 else ''}"


def _compared(rate: BatchRate, rates: Sequence[BatchRate]) -> str:
    """The speed of threads by that of one, or ``predict`` on one thread than a peer's loop."""
    one = rates[0].per_second.median
    if rate.threads == 1:
        return ""
    if rate.threads:
        return f"{_ratio(rate.per_second.median / one)} times one thread"
    return f"predict is {_ratio(one / rate.per_second.median)} times as fast"


def _operators(benchmark: Benchmark, width: int) -> list[Text]:
    operators = benchmark.operators
    total = fsum(operator.seconds.median for operator in operators) or 1.0
    shares = [operator.seconds.median / total for operator in operators]
    columns = [
        Column("#", [str(operator.index) for operator in operators], "right"),
        Column("operator", [printable(operator.name) for operator in operators], shrink=20),
        Column("output", [operator.output for operator in operators], keep=2, shrink=12),
        Column("time", [duration(operator.seconds.median) for operator in operators], "right"),
        Column("p10 .. p90", [_range(op.seconds) for op in operators], "right", keep=3),
        Column("share", [f"{share:.0%}" for share in shares], "right", keep=1),
        Column("GMAC/s", [_giga(op.giga_macs_per_second) for op in operators], "right"),
        Column("kernel", [operator.kernel for operator in operators]),
    ]
    return table(columns, width)


def _giga(rate: float | None) -> str:
    if rate is None:
        return ""
    return f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"


def _threads(benchmark: Benchmark) -> str:
    if benchmark.threads == 1:
        return "one thread"
    return f"{benchmark.threads} threads of Arenite's, one of each peer's"


def _about(benchmark: Benchmark) -> Iterator[Text]:
    facts = benchmark.machine
    flags = f" ({', '.join(facts['flags'])})" if facts["flags"] else ""
    using = f"native kernels, {benchmark.isa}" if benchmark.isa else "NumPy's reference kernels"
    yield Text.assemble(("machine   ", "bold"), f"{printable(facts['cpu'])}{flags}")
    yield Text.assemble(("arenite   ", "bold"), using)
    yield Text.assemble(("target    ", "bold"), str(benchmark.target))
    peers = ", ".join(f"{e.name} {e.version}" for e in benchmark.engines[1:])
    if peers:
        yield Text.assemble(("peers     ", "bold"), peers)
    cold = ", ".join(f"{e.name} {duration(e.cold['load'])}" for e in benchmark.engines if e.cold)
    yield Text.assemble(("cold      ", "bold"), f"load + plan in a fresh process: {cold}")
    turns = benchmark.engines[0].inference.samples
    about = f"medians of {turns} turns, {_threads(benchmark)}"
    if len(benchmark.engines) > 1:
        about += "; x arenite: times as long as Arenite"
    yield Text.assemble(("times     ", "bold"), about)


def _range(spread: Spread) -> str:
    low, high = duration(spread.p10), duration(spread.p90)
    value, unit = low.split(" ")
    return f"{value} .. {high}" if high.endswith(unit) else f"{low} .. {high}"


def _rates(spread: Spread) -> str:
    return f"{number(round(spread.p10))} .. {number(round(spread.p90))}"


def _ratio(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
