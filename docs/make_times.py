"""Put ``benchmarks/results/reference.json`` into the README: ``python docs/make_times.py``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results" / "reference.json"
TABLE = re.compile(r"(?<=<!-- times -->\n).*?(?=<!-- end of times -->)", re.DOTALL)
ENGINES = ("arenite", "tflite_micro", "litert")


def page() -> str:
    """The README with the times of the last benchmark."""
    report = json.loads(RESULTS.read_text(encoding="utf-8"))
    return TABLE.sub(lambda _: table(report), README.read_text(encoding="utf-8"))


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
    digits = 0 if turns["median"] >= 100 else 1
    spread = 50 * (turns["p90"] - turns["p10"]) / turns["median"]
    return f"{turns['median']:.{digits}f} ± {spread:.0f} %"


if __name__ == "__main__":
    README.write_text(page(), encoding="utf-8")
    print(f"wrote {README.name}")
