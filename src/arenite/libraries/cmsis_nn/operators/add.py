"""ADD: TFLM ``micro/kernels/cmsis_nn/add.cc``; it allocates what the reference does."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.decisions import elementwise
from arenite.libraries.glue import Glue
from arenite.libraries.path import Path
from arenite.ops.constraints import NodeView
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By type, and whether the inputs broadcast."""
    return elementwise.decide(view, "arm_elementwise_add", "Add")


GLUE = Glue(decide, overlap=elementwise.overlap)
