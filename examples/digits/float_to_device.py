"""From a float model to a firmware: ``python examples/digits/float_to_device.py [FOLDER]``.

Quantises the float digits, takes out what is not needed, and runs the firmware on an emulated
Cortex-M4 (``pip install arenite[board]``). Every row says how many held-out digits that step
reads, and what it takes. Ranges come from the pictures of half of the held-out digits, since no
other digits are in this folder; the accuracy is of the other half.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import data
import numpy as np

import arenite as ar
from arenite.analysis.optimization import figures
from arenite.formats import tflite
from arenite.model import Model
from arenite.target import find_target

TARGET = "cortex-m4"
#: MHz.
CLOCK = 80.0
#: So many digits give ranges, the others are read.
RANGES = 180


def row(step: str, right: float, ram: int, flash: int, cycles: int | None) -> str:
    time = "-" if cycles is None else f"{cycles / CLOCK / 1000:.2f}"
    return f"{step:22s} {right:8.2%} {ram:9,} {flash:9,} {time:>6s}"


def model_row(step: str, model: Model, held_out: data.Digits, target: str | None) -> str:
    """What a model reads and takes in TFLM: arena, file, an estimate of the time."""
    samples = (data.as_floats(held_out.images), held_out.labels)
    right = ar.evaluate(model, samples, target=target).scores[0].metrics["accuracy"]
    taken = figures(model, find_target(TARGET))
    return row(step, right, taken.arena, taken.flash or 0, taken.cycles)


def board_row(step: str, model: Model, held_out: data.Digits, folder: Path) -> str:
    """The same of the firmware, which runs: RAM of tensors, code and constants, cycles."""
    board = ar.Board(model, TARGET, folder=folder)
    images = np.stack([data.as_int8(image) for image in held_out.images])
    answers = board.predict(images).reshape(len(images), -1).argmax(axis=1)
    right = float((answers == held_out.labels).mean())
    return row(step, right, board.export.arena_bytes, board.flash_bytes, board.count.cycles)


def main(arguments: Sequence[str] = ()) -> None:
    digits = data.load_held_out()
    ranges = data.as_floats(digits.images[:RANGES])
    held_out = data.Digits(digits.images[RANGES:], digits.labels[RANGES:])
    print(f"{'':22s} {'accuracy':>8s} {'RAM':>9s} {'flash':>9s} {'ms':>6s}")
    model = ar.load(data.FLOAT_MODEL)
    print(model_row("float", model, held_out, None))
    model, _ = ar.quantize(model, ranges, target=TARGET)
    print(model_row("quantize", model, held_out, TARGET))
    model, _ = ar.optimize(model, TARGET, strip=True, verify=2)
    print(model_row("optimize", model, held_out, TARGET))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments[0] if arguments else temporary)
        (folder / "digits.tflite").write_bytes(tflite.write(model))
        print(board_row("export, on a board", model, held_out, folder / "firmware"))


if __name__ == "__main__":
    main(sys.argv[1:])
