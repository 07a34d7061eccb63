"""Put figures into ``docs/optimize.md``: ``python docs/make_optimize.py``.

``benchmarks/results/memory.json`` comes from ``benchmarks/memory.py``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "optimize.md"
RESULTS = ROOT / "benchmarks" / "results" / "memory.json"
#: The target of the first table, and those of the second.
FIRST, OTHERS = "cortex-m4", ("host", "cortex-m55")
Row = dict[str, Any]


def page() -> str:
    """The page with the figures of the last run."""
    report = json.loads(RESULTS.read_text(encoding="utf-8"))
    marks = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)
    return marks.sub(lambda _: figures(report), PAGE.read_text(encoding="utf-8"))


def figures(report: Row) -> str:
    """Two tables of the models in which something is won, and the names of the others."""
    rows: dict[str, dict[str, Row]] = {}
    for result in report["results"]:
        rows.setdefault(result["model"], {})[result["target"]] = result
    won = {name: by for name, by in rows.items() if any(map(wins, by.values()))}
    lines = [
        "| Cortex-M4, bytes | head by TFLM | best plan | outputs over inputs | all passes "
        "| arena before | after | MACs | file | cycles | s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(first_row(name, by[FIRST]) for name, by in won.items()),
        "",
        f"Nothing is won of the arena in: {', '.join(sorted(rows.keys() - won.keys()))}. "
        f"{proofs(report['results'])}",
        "",
        "| heads, bytes | TFLM's package: TFLM | best | over | all "
        "| Cortex-M55: TFLM | best | over | all |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(other_row(name, by) for name, by in won.items()),
        "",
    ]
    return "\n".join(lines)


def wins(row: Row) -> bool:
    """Whether the arena is smaller by more than the structs of a tensor or two."""
    return row["arena"][-1] < 0.98 * row["arena"][0]


def first_row(name: str, row: Row) -> str:
    """All that is known of one model on one target."""
    heads = [f"{size:,}" for size in row["head"]]
    heads[1] += "" if row["is_proved"] else " (not proved)"
    arenas = [f"{row['arena'][at]:,}" for at in (0, -1)]
    saved = [change(*row[what]) for what in ("macs", "flash", "cycles")]
    return f"| {' | '.join([name, *heads, *arenas, *saved, f'{spent(row):.1f}'])} |"


def spent(row: Row) -> float:
    """Seconds of all passes."""
    return float(row["seconds"]["all"])


def other_row(name: str, by: dict[str, Row]) -> str:
    """Heads on the other targets."""
    heads = [f"{size:,}" for target in OTHERS for size in by[target]["head"]]
    return f"| {' | '.join([name, *heads])} |"


def change(before: int | None, after: int | None) -> str:
    """A difference in percent; nothing where it is less than half of one."""
    if before is None or after is None or not before:
        return "-"
    percent = round(100 * (after - before) / before)
    return f"{percent:+d} %" if percent else "0"


def proofs(results: list[Row]) -> str:
    """How many best plans are proved, and as low as the bound."""
    proved = sum(row["is_proved"] for row in results)
    at_bound = sum(row["head"][1] == row["bound"] for row in results)
    return (
        f"Of {len(results)} best plans {proved} are proved to be the least and {at_bound} are as "
        "low as what is alive at once."
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
