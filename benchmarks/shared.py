"""What benchmarks share: models, arguments, machines and files of results.

Imported before NumPy: everything runs on one thread then.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.update(
    dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
)

from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("ARENITE_SHARED", ROOT.parent / "shared")) / "models"
RESULTS = ROOT / "benchmarks" / "results"
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"


def models(names: Sequence[str]) -> list[Path]:
    """The bundled model, and those of the shared ones that are there."""
    found = (SHARED / f"{name}.tflite" for name in names)
    return [DIGITS, *(path for path in found if path.exists())]


def parser_of(about: str | None) -> argparse.ArgumentParser:
    """A parser that shows a module's docstring as it is."""
    return argparse.ArgumentParser(description=about, formatter_class=argparse.RawTextHelpFormatter)


def table_of(title: str, headings: Sequence[str]) -> Table:
    """A table without lines, numbers to the right of the first column."""
    view = Table(title=title, box=None, title_justify="left")
    for place, heading in enumerate(headings):
        view.add_column(heading, justify="right" if place else "left", no_wrap=True)
    return view


def machine_text(about: Mapping[str, Any]) -> str:
    """The processor and its vector instructions."""
    return f"{about['cpu']} ({', '.join(about['flags'])})"


def cell(spread: Any, unit: float = 1e6) -> str:
    """A median and half the spread from p10 to p90: ``23.2 ±5%``; microseconds of seconds."""
    if spread is None:
        return "-"
    value = spread.median * unit
    half = 50 * (spread.p90 - spread.p10) / spread.median
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} ±{half:.0f}%"


def write_results(path: Path, report: Mapping[str, Any]) -> None:
    """A report with its machine as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(f"written to {path}", file=sys.stderr)


@contextmanager
def compiled_modules() -> Iterator[None]:
    """Subprocesses find modules compiled, as installed ones are."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        yield
