"""A model with one operator of its own, MOVING_AVERAGE: ``python model.py FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

import arenite as ar
from arenite.formats.tflite_write import write


def moving_average(length: int = 64, width: int = 4) -> ar.Model:
    """A model that takes the mean of every ``width`` values of a signal."""
    b = ar.ModelBuilder()
    x = b.input("signal", (1, length), "int8", scale=0.5, zero_point=0)
    y = b.tensor("means", (1, length), "int8", scale=0.5, zero_point=0)
    b.operator("MOVING_AVERAGE", [x], [y], custom_options=bytes([width]))
    b.output(y)
    return b.build()


if __name__ == "__main__":
    file = Path(sys.argv[1] if len(sys.argv) > 1 else "moving.tflite")
    file.write_bytes(write(moving_average()))
    kernel = Path(__file__).with_name("moving_average.cc")
    for command in ("run", "memory", "bench"):
        print(f"arenite {command} {file} --kernels {kernel} --tflm PATH")
