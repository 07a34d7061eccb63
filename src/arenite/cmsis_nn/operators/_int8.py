"""Kernels that hand int8 to CMSIS-NN and other types to TFLM, and allocate nothing of their own."""

from __future__ import annotations

from arenite.cmsis_nn.glue import Glue
from arenite.cmsis_nn.path import Path, path_to, path_to_reference
from arenite.cmsis_nn.targets import Target
from arenite.model import TensorType
from arenite.ops.constraints import Constraint, NodeView


def int8_glue(cmsis_nn: str, tflm: str, constraint: Constraint) -> Glue:
    """To ``cmsis_nn`` for int8, else to TFLM's ``tflm``."""

    def path(view: NodeView, target: Target) -> Path:
        if view.input(0).type is TensorType.INT8:
            return path_to(cmsis_nn, ())
        return path_to_reference(tflm)

    return Glue(path=path, constraints=(constraint,))
