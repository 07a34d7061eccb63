"""Put figures into ``docs/lower.md``: ``python docs/make_lower.py``.

``benchmarks/results/lower.json`` comes from ``benchmarks/lower.py``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "lower.md"
RESULTS = ROOT / "benchmarks" / "results" / "lower.json"
HEADING = "| kind | models | run before | run after | equal bits | difference | bytes of a file |"


def page() -> str:
    """The page with the figures of the last run."""
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    marks = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)
    return marks.sub(lambda _: figures(rows), PAGE.read_text(encoding="utf-8"))


def figures(rows: list[dict[str, Any]]) -> str:
    """A line for each kind, and their sum."""
    today = [one for one in rows if not one["revision"]]
    sums = {
        name: sum(one[name] for one in today) for name in ("models", "before", "after", "equal")
    }
    whole = "| {} | {models} | {before} | {after} | {equal} | | |".format("all of these", **sums)
    others = [one for one in rows if one["revision"]]
    lines = [HEADING, "|---|--:|--:|--:|--:|--:|--:|", *map(line, today), whole, *map(line, others)]
    return "\n".join([*lines, ""])


def line(one: dict[str, Any]) -> str:
    """One kind."""
    name = f"{one['kind']}, for {one['revision']}" if one["revision"] else one["kind"]
    counts = [str(one[key]) for key in ("models", "before", "after", "equal")]
    share = f"{one['share']:.1g}" if one["share"] else "0"
    sizes = " to ".join(f"{size // one['models']:,}" for size in one["bytes"])
    return f"| {' | '.join([name, *counts, share, sizes])} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
