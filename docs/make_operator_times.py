"""Put the times of single operators into docs/speed.md: ``python docs/make_operator_times.py``.

``benchmarks/results/operators.json`` comes from ``benchmarks/operators.py``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "speed.md"
RESULTS = ROOT / "benchmarks" / "results" / "operators.json"
MARKS = re.compile(
    r"(?<=<!-- operator times -->\n).*?(?=<!-- end of operator times -->)", re.DOTALL
)
PEERS = ("litert", "tflm")


def page() -> str:
    """The page with the figures of the last benchmark."""
    content = table(json.loads(RESULTS.read_text(encoding="utf-8")))
    return MARKS.sub(lambda _: content, PAGE.read_text(encoding="utf-8"))


def table(report: dict[str, Any]) -> str:
    """A row per operator and type, and the machine below."""
    lines = [
        "| operator | type | µs | times as fast as LiteRT | as tflite_micro |",
        "|---|---|--:|--:|--:|",
        *map(row, report["results"]),
    ]
    machine = report["machine"]
    about = (
        f"{machine['cpu']} ({', '.join(machine['flags'])}), {report['isa']} kernels, one thread."
    )
    return "\n".join([*lines, "", about, ""])


def row(result: dict[str, Any]) -> str:
    """One operator: its median, and the peers' over it."""
    own = result["seconds"]["arenite"]["median"]
    ratios = [
        f"{result['seconds'][peer]['median'] / own:.2f}" if peer in result["seconds"] else ""
        for peer in PEERS
    ]
    cells = [result["operator"], result["type"], f"{own * 1e6:.2f}", *ratios]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
