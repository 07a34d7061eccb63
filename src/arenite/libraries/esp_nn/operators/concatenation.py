"""CONCATENATION in esp-tflite-micro 1.3.1: TFLM's kernel of then keeps scales and zero points.

Facts: esp-tflite-micro 1.3.1 ``micro/kernels/concatenation.cc``; gone in 1.3.3.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.glue import Glue
from arenite.libraries.path import Path, Scratch, path_to_reference
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """int8 keeps four bytes of each for every input."""
    path = path_to_reference("Concatenation")
    if view.output(0).type is not TensorType.INT8:
        return path
    size = 4 * len(view.inputs)
    kept = Scratch(size, "the inputs' scales"), Scratch(size, "the inputs' zero points")
    return replace(path, persistent=kept)


GLUE = Glue(decide)
ONLY_IN = ("1.3.1",)
