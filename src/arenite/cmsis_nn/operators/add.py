"""ADD: TFLM ``micro/kernels/cmsis_nn/add.cc``; it allocates what the reference does."""

from __future__ import annotations

from arenite.cmsis_nn.glue import Glue
from arenite.cmsis_nn.operators._elementwise import elementwise_path
from arenite.cmsis_nn.path import Path
from arenite.cmsis_nn.targets import Target
from arenite.ops.constraints import NodeView


def path(view: NodeView, target: Target) -> Path:
    """By type, and whether the inputs broadcast."""
    return elementwise_path(view, "arm_elementwise_add", "Add")


GLUE = Glue(path=path)
