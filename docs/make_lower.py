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
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    text = put("figures", figures(found["results"]), PAGE.read_text(encoding="utf-8"))
    text = put("population", population(found["population"]), text)
    return put("packages", packages(found["packages"]), text)


def put(mark: str, table: str, text: str) -> str:
    """The text with a table between two marks."""
    marks = re.compile(rf"(?<=<!-- {mark} -->\n).*?(?=<!-- end of {mark} -->)", re.DOTALL)
    return marks.sub(lambda _: table, text)


def population(rows: list[dict[str, Any]]) -> str:
    """A line for each kind, and their sum."""
    keys = ("models", "before", "runs", "after")
    sums = {key: sum(one[key] for one in rows) for key in keys}
    lines = [
        "| kind | networks | run before | run after | outputs within a tenth of LiteRT's |",
        "|---|--:|--:|--:|--:|",
        *("| {kind} | {models} | {before} | {runs} | {after} |".format(**one) for one in rows),
        "| all of these | {models} | {before} | {runs} | {after} |".format(**sums),
    ]
    return "\n".join([*lines, ""])


def packages(rows: list[dict[str, Any]]) -> str:
    """A line for each package."""
    line = "| {version} | {models} | {lowered} | {runs} | {near} |"
    lines = [
        "| tflite-micro | models | lowered | run | outputs within a tenth of LiteRT's |",
        "|---|--:|--:|--:|--:|",
        *(line.format(**one) for one in rows),
    ]
    return "\n".join([*lines, ""])


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
