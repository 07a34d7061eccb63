"""Read a handwritten digit: ``python examples/digits/demo.py [DIGIT | IMAGE]``.

Without an argument it takes the picture of a three. An image of any size is made grey
and 8 x 8 pixels; the model expects white on black.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import data
import numpy as np
import numpy.typing as npt
from PIL import Image
from rich.console import Console

import arenite as ar
from arenite.analysis.arena_use import ArenaUse, Firmware
from arenite.report.memory import render_regions

Array = npt.NDArray[Any]

SHADES = " .:-=+*%@#"
TARGET = "cortex-m4"


def main(arguments: Sequence[str]) -> None:
    path = picture(arguments[0] if arguments else "3")
    image = read_grey(path)
    start = time.perf_counter()
    interp = ar.Interpreter(ar.load(data.MODEL), target=TARGET)
    loaded = time.perf_counter() - start
    x = data.as_int8(image)
    probabilities = (interp(x).astype(float).ravel() + 128) / 256
    digit = int(probabilities.argmax())

    print(f"{shown(path)}, 8 x 8 pixels:\n")
    print(drawn(image))
    print(f"\nArenite sees a {digit} (probability {probabilities[digit]:.3f}).\n")
    print(f"Its arena on a {TARGET}:\n")
    print_arena(interp)
    print(f"\nLoaded and planned in {loaded * 1e3:.0f} ms; an inference takes {timed(interp, x)}.")
    print(NEXT)


def picture(argument: str) -> Path:
    """The image that the argument stands for."""
    bundled, given = data.IMAGES / f"{argument}.png", Path(argument)
    if len(argument) == 1 and argument.isdigit():
        return bundled
    if given.is_file():
        return given
    sys.exit(f"expected a digit 0 to 9 or an image file, got {argument!r}")


def read_grey(path: Path) -> Array:
    """An image file as uint8 ``(8, 8)``."""
    with Image.open(path) as file:
        return np.array(file.convert("L").resize((8, 8), Image.Resampling.BOX))


def drawn(image: Array) -> str:
    """An 8 x 8 image as text, two characters per pixel."""
    return "\n".join(
        "    " + "".join(SHADES[int(grey) * (len(SHADES) - 1) // 255] * 2 for grey in row)
        for row in image
    )


def print_arena(interp: ar.Interpreter) -> None:
    """The arena's regions to scale."""
    arena, console = interp.arena, Console(highlight=False)
    firmware = Firmware("greedy", interp.target)
    use = ArenaUse(data.MODEL.name, firmware, arena.size, interp.plan, interp.allocations())
    ascii_only = console.options.ascii_only
    for line in render_regions(use, min(console.width, 80), ascii_only=ascii_only):
        console.print(line)


def timed(interp: ar.Interpreter, x: Array, repeats: int = 100) -> str:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        interp(x)
        times.append(time.perf_counter() - start)
    return f"{median(times) * 1e6:.0f} us (median of {repeats})"


def shown(path: Path) -> str:
    """The path, short where that is possible."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


NEXT = f"""
Next:
  .venv/bin/arenite info {shown(data.MODEL)}
  .venv/bin/arenite memory {shown(data.MODEL)} --target {TARGET}
  .venv/bin/python {shown(data.HERE / "demo.py")} 7
  .venv/bin/python {shown(data.HERE / "evaluate.py")}"""

if __name__ == "__main__":
    main(sys.argv[1:])
