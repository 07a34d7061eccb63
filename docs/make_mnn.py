"""Put operators and the benchmark's results into ``docs/mnn.md``: ``python docs/make_mnn.py``.

``benchmarks/results/mnn.json`` comes from ``benchmarks/mnn.py``.
"""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

from arenite.mnn.lowering.mapping import MAPPERS
from arenite.mnn.lowering.models import OpType

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "mnn.md"
RESULTS = ROOT / "benchmarks" / "results" / "mnn.json"
MEGABYTE = 1 << 20


def page() -> str:
    """The page with all mapped operators and the figures of the last benchmark."""
    report = json.loads(RESULTS.read_text(encoding="utf-8"))
    text = between("operators", operators(), PAGE.read_text(encoding="utf-8"))
    return between("times", table(report), text)


def between(name: str, part: str, text: str) -> str:
    """The text with another part between the marks of a name."""
    marks = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)", re.DOTALL)
    return marks.sub(lambda _: part, text)


def operators() -> str:
    """Names of all operators that are mapped."""
    names = sorted(kind.name for kind in {*MAPPERS, OpType.Input})
    return textwrap.fill(", ".join(names) + ".", 98) + "\n"


def table(report: dict[str, Any]) -> str:
    """A row per model, and the machine below."""
    lines = [
        "| model | Arenite, µs | MNN, µs | times as fast | Arenite, MB | arena | tensors "
        "| kernels | MNN, MB |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(row(result) for result in report["results"]),
    ]
    machine = report["machine"]
    about = (
        f"Medians. {machine['cpu']} ({', '.join(machine['flags'])}), one thread, MNN "
        f"{machine['peers']['MNN']}."
    )
    return "\n".join([*lines, "", about, ""])


def row(result: dict[str, Any]) -> str:
    """One model: times, their ratio, memory and its parts."""
    times = {name: turns["median"] for name, turns in result["microseconds"].items()}
    memory = result["megabytes"]
    parts = [size / MEGABYTE for size in result["arenite_bytes"].values()]
    theirs = ["crashes", "", ""]
    if "mnn" in times:
        theirs = [f"{times['mnn']:.1f}", f"{times['mnn'] / times['arenite']:.2f}"]
        theirs.append(f"{memory['mnn']:.3f}")
    cells = [
        result["model"],
        f"{times['arenite']:.1f}",
        *theirs[:2],
        *(f"{size:.3f}" for size in (memory["arenite"], *parts)),
        theirs[2],
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
