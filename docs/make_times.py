"""Put the benchmarks' results into ``compared.md`` and ``speed.md``: ``python docs/make_times.py``.

``benchmarks/results/native.json`` and, for the column on AVX2, ``native_avx2.json`` come from
``benchmarks/native.py``; ``reference.json`` comes from ``benchmarks/reference.py``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMPARED = ROOT / "docs" / "compared.md"
SPEED = ROOT / "docs" / "speed.md"
RESULTS = ROOT / "benchmarks" / "results"
ENGINES = ("arenite", "tflite_micro", "litert")
PEERS = ("litert", "tflm", "mnn")


def page() -> str:
    """The page with the figures of the last benchmark of the native engine."""
    return between("native times", native_table(), COMPARED.read_text(encoding="utf-8"))


def speed() -> str:
    """``speed.md`` with the figures of the last benchmark of the reference kernels."""
    return between("times", table(results("reference")), SPEED.read_text(encoding="utf-8"))


def between(name: str, content: str, text: str) -> str:
    """``text`` with other content between two marks."""
    marks = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)", re.DOTALL)
    return marks.sub(lambda _: content, text)


def results(name: str) -> dict[str, Any]:
    """A benchmark's report."""
    report: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return report


# -- the native engine -----------------------------------------------------------------


def native_table() -> str:
    """A row per model, the figures of a start and of a large batch, the machine."""
    report, avx2 = results("native"), ratios(results("native_avx2"))
    lines = [
        "| model | Arenite | LiteRT | times as fast as LiteRT | as tflite_micro | as MNN "
        "| as LiteRT, AVX2 |",
        "|---|--:|--:|--:|--:|--:|--:|",
        *(native_row(result, avx2) for result in report["results"]),
    ]
    return "\n".join([*lines, "", about_native(report), ""])


def native_row(result: dict[str, Any], avx2: dict[str, str]) -> str:
    """One model: two times, and how many times as long the peers take."""
    times = {engine["name"]: engine["inference"] for engine in result["engines"]}
    cells = [native_time(times.get(name)) for name in ("arenite", "litert")]
    own = times["arenite"]["median"]
    cells += [ratio(times[name]["median"] / own) if name in times else "" for name in PEERS]
    model = Path(result["file"]).stem
    return f"| {' | '.join([model, *cells, avx2.get(model, '')])} |"


def ratios(report: dict[str, Any]) -> dict[str, str]:
    """LiteRT's time over Arenite's by model."""
    found = {}
    for result in report["results"]:
        times = {engine["name"]: engine["inference"]["median"] for engine in result["engines"]}
        if "litert" in times:
            found[Path(result["file"]).stem] = ratio(times["litert"] / times["arenite"])
    return found


def about_native(report: dict[str, Any]) -> str:
    """What was measured, on what."""
    machine, start, batches = report["machine"], report["start"], report["batches"]
    peers = ", ".join(f"{name} {version}" for name, version in machine["peers"].items())
    total = 1000 * (start["import_arenite"] + start["load_and_plan"])
    return (
        "Microseconds, median and half of p10 to p90. "
        f"{machine['cpu']} ({', '.join(machine['flags'])}), {report['isa']} kernels; {peers}. "
        f"{' '.join(map(about_batch, batches))} Importing Arenite, loading and planning "
        f"{start['model']} takes {total:.0f} ms more than importing NumPy."
    )


def about_batch(batch: dict[str, Any]) -> str:
    """What ``predict`` does in a second, next to LiteRT."""
    rates = {name: spread["median"] for name, spread in batch["per_second"].items()}
    one, two = rates.pop("arenite, threads=1"), rates.pop("arenite, threads=2")
    floats = rates.pop("arenite, floats")
    peers = ", ".join(f"{ratio(one / rate)} times {name}" for name, rate in rates.items())
    return (
        f"`predict` on {batch['samples']:,} samples of {batch['model']}: {one:,.0f} a second on "
        f"one thread ({peers}), {two:,.0f} on two; quantising floats included, "
        f"{ratio(one / floats)} times as long."
    )


def native_time(spread: dict[str, float] | None) -> str:
    """``7.9 ± 2 %``; empty where there is none."""
    if spread is None:
        return ""
    return time_of({key: 1e6 * value for key, value in spread.items()})


def ratio(value: float) -> str:
    """Three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


# -- the reference kernels -------------------------------------------------------------


def table(report: dict[str, Any]) -> str:
    """A row per model, and the machine below."""
    lines = [
        "| model | Arenite | tflite_micro | LiteRT | bits: Arenite | LiteRT |",
        "|---|--:|--:|--:|--:|--:|",
        *(row(result) for result in report["results"]),
    ]
    machine = report["machine"]
    about = (
        f"Microseconds, median and half of p10 to p90. {machine['cpu']} "
        f"({', '.join(machine['flags'])}), NumPy {machine['numpy']} "
        f"with {machine['blas']}; tflite_micro {machine['peers']['tflite_micro']}, "
        f"LiteRT {machine['peers']['ai_edge_litert']} with XNNPACK."
    )
    return "\n".join([*lines, "", about, ""])


def row(result: dict[str, Any]) -> str:
    """One model: times, and on how many inputs the output equals tflite_micro's."""
    times = [
        time_of(result["microseconds"][name])
        if name in result["microseconds"]
        else result["absent"][name]
        for name in ENGINES
    ]
    equal = result["outputs_equal_to_tflite_micro"]
    bits = [
        f"{equal[name]} of {result['inputs']}" if name in equal else ""
        for name in ("arenite", "litert")
    ]
    return f"| {' | '.join([result['model'], *times, *bits])} |"


def time_of(turns: dict[str, float]) -> str:
    """``374 ± 6 %``."""
    digits = 0 if turns["median"] >= 100 else 1 if turns["median"] >= 10 else 2
    spread = 50 * (turns["p90"] - turns["p10"]) / turns["median"]
    return f"{turns['median']:.{digits}f} ± {spread:.0f} %"


if __name__ == "__main__":
    COMPARED.write_text(page(), encoding="utf-8")
    SPEED.write_text(speed(), encoding="utf-8")
    print(f"wrote {COMPARED.name}, {SPEED.name}")
