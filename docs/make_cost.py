"""Put how far estimates were off into ``docs/board.md``: ``python docs/make_cost.py``.

The figures are those that ``arenite cost --json`` gives with every operator.
"""

from __future__ import annotations

import re
from pathlib import Path

from arenite.libraries.cmsis_nn.cost.estimate import COUNTED
from arenite.libraries.cmsis_nn.cost.steps import ERRORS
from arenite.target import OPTIMIZE

PAGE = Path(__file__).resolve().parent / "board.md"


def page() -> str:
    """The page with the figures of the tables."""
    marks = re.compile(r"(?<=<!-- errors -->\n).*?(?=<!-- end of errors -->)", re.DOTALL)
    return marks.sub(lambda _: table(), PAGE.read_text(encoding="utf-8"))


def table() -> str:
    """A row per operator: types, and the errors of each on every processor."""
    usual = [ERRORS[name, OPTIMIZE] for name in COUNTED]
    kernels = sorted({kernel for errors in usual for kernel in errors})
    lines = [
        "| operator | " + " | ".join(COUNTED) + " |",
        "|---|" + "--:|" * len(COUNTED),
        *(
            f"| {kernel} | " + " | ".join(cell(name, kernel) for name in COUNTED) + " |"
            for kernel in kernels
        ),
    ]
    return "\n".join(lines) + "\n"


def cell(processor: str, kernel: str) -> str:
    """The median and the worst error in percent."""
    found = ERRORS[processor, OPTIMIZE].get(kernel)
    return "?" if found is None else f"{found[0]:g} / {found[1]:g}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
