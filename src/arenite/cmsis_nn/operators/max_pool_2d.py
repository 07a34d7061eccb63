"""MAX_POOL_2D: TFLM ``micro/kernels/cmsis_nn/pooling.cc``."""

from __future__ import annotations

from arenite.cmsis_nn.glue import Glue
from arenite.cmsis_nn.operators._pooling import OP_DATA, path_by_type
from arenite.cmsis_nn.path import Path
from arenite.cmsis_nn.targets import Target
from arenite.ops.constraints import NodeView


def path(view: NodeView, target: Target) -> Path:
    """By the type of activations."""
    return path_by_type(view.input(0).type, "arm_max_pool", "MaxPool")


GLUE = Glue(path=path, op_data=OP_DATA)
