"""Draw the pictures of ``firmware.md``: ``python docs/make_firmware.py``.

The weights, sums and constants in them are computed as an export computes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from arenite.firmware.kernels.cortex_m.steps import Channels, steps_of
from arenite.report.drawing import LARGE, SMALL, Drawing, documents

IMAGES = Path(__file__).resolve().parent / "images"
WIDTH, LEFT = 780, 20


def firmware_two_filters() -> Drawing:
    """Two weights in a halfword, and what becomes of their sums."""
    first, second, x = (37, -90), (-64, 25), (83, -128)
    words = [256 * b + a for a, b in zip(first, second, strict=True)]
    both = sum(word * value for word, value in zip(words, x, strict=True))
    low = sum(a * value for a, value in zip(first, x, strict=True))
    d = Drawing(WIDTH, 268, "Two filters in a halfword")
    d.text(
        LEFT,
        26,
        "Two filters in a halfword: four products, two SMLAD, one load of weights",
        size=LARGE,
        bold=True,
    )
    rows = (("filter 0", first, "blue"), ("filter 1", second, "amber"))
    for row, (name, weights, fill) in enumerate(rows):
        d.text(100, 66 + 34 * row, name, anchor="end")
        d.cells(110, 48 + 34 * row, [str(one) for one in weights], width=90, fills=[fill] * 2)
    d.text(330, 82, "256 f1 + f0, in flash")
    d.arrow((300, 78), (325, 78))
    d.cells(520, 60, [str(word) for word in words], width=110, fills=["green"] * 2)
    d.text(100, 142, "inputs", anchor="end")
    d.cells(110, 124, [str(value) for value in x], width=90, fills=["grey"] * 2)
    lines = (
        f"SMLAD  the word as it is    256 S1 + S0 = {both:,}",
        "SXTB16 leaves f0 of both",
        f"SMLAD  what is left                   S0 = {low:,}",
        f"SUB    one from the other     256 S1 = {both - low:,}, S1 = {(both - low) // 256:,}",
    )
    for row, line in enumerate(lines):
        d.text(LEFT, 184 + 20 * row, line)
    d.text(
        LEFT,
        262,
        "Sums may wrap on the way; 256 S1 with its bias has to fit into 32 bits, which is checked.",
        size=SMALL,
        dim=True,
    )
    return d


def firmware_requantize() -> Drawing:
    """A channel's outputs as steps, and where two rising functions have to be compared."""
    channels = Channels(
        np.array([1_518_500_250]), np.array([-5]), 3, np.array([-480]), np.array([480])
    )
    steps = steps_of(channels)
    sums = np.arange(-180, 181)
    outputs = channels.outputs(sums[None, :])[0]
    d = Drawing(WIDTH, 300, "Requantisation is a function with few steps")
    d.text(
        LEFT,
        26,
        "Requantisation: equal at every step and one below it is equal everywhere",
        size=LARGE,
        bold=True,
    )
    left, bottom, wide = 60, 250, 680

    def place(total: float, value: float) -> tuple[float, float]:
        return left + (total + 180) * wide / 360, bottom - (value - outputs[0] + 0.5) * 22

    points: list[tuple[float, float]] = []
    for total, value in zip(sums, outputs, strict=True):
        points += [place(total - 0.5, value), place(total + 0.5, value)]
    d.line(*points)
    d.line((left, bottom), (left + wide, bottom))
    for at in steps.at[0][steps.valid[0]]:
        if -175 < at < 175:
            value = channels.outputs(np.array([[at]]))[0, 0]
            for total, height, fill in ((at, value, "green"), (at - 1, value - 1, "amber")):
                x, y = place(total, height)
                d.box((x - 3, y - 3), (6, 6), fill)
    for total in range(-150, 151, 50):
        d.text(place(total, 0)[0], bottom + 16, str(total), anchor="middle", size=SMALL, dim=True)
    d.text(left + wide, bottom + 32, "sum", anchor="end", size=SMALL, dim=True)
    d.text(left, 58, "output", size=SMALL, dim=True)
    text = "C + (A * M >> 32), shifted and saturated: M, C and a bias for which all squares agree"
    d.text(LEFT, 292, text, size=SMALL, dim=True)
    return d


def firmware_columns() -> Drawing:
    """A row of a convolution from a buffer of columns."""
    d = Drawing(WIDTH, 236, "A buffer of columns")
    d.text(
        LEFT,
        26,
        "A 3x3 convolution: one row of outputs from a buffer of columns",
        size=LARGE,
        bold=True,
    )
    d.text(LEFT, 54, "image, int8", dim=True)
    for row in range(3):
        names = [f"{'abc'[row]}{column}" for column in range(4)]
        fill = ("blue", "amber", "green")[row]
        d.cells(LEFT, 64 + 28 * row, names, width=44, fills=[fill] * 4)
    d.arrow((LEFT + 186, 105), (LEFT + 246, 105))
    d.text(LEFT + 192, 98, "widen", size=SMALL)
    d.text(280, 54, "columns, 16 bits, with the padding in them", dim=True)
    columns = [("grey", [""] * 3)] + [
        ("", [f"{name}{column}" for name in "abc"]) for column in range(3)
    ]
    x = 280
    for fill, names in columns:
        fills = [fill] * 3 if fill else ["blue", "amber", "green"]
        d.cells(x, 64, names, width=38, fills=fills)
        x += 3 * 38
    for begin, y, name in (
        (280, 112, "window of output 0"),
        (280 + 114, 142, "window of output 1"),
    ):
        d.line((begin, y - 6), (begin, y), (begin + 342, y), (begin + 342, y - 6))
        d.text(begin + 171, y + 15, name, anchor="middle", size=SMALL)
    lines = (
        "A window is one run of memory, and the next one begins a constant distance behind it: the",
        "loop of two pixels and four filters reads both. Every value is widened once per row of",
        "outputs that it takes part in, not once per filter.",
    )
    for row, line in enumerate(lines):
        d.text(LEFT, 186 + 18 * row, line, size=SMALL, dim=True)
    return d


FIGURES = (firmware_two_filters, firmware_requantize, firmware_columns)


def figures() -> Iterator[tuple[Path, str]]:
    """Every picture's file and text."""
    return documents(IMAGES, FIGURES)


if __name__ == "__main__":
    for path, text in figures():
        path.write_text(text, encoding="utf-8")
