"""Kernels that hand int8 to CMSIS-NN and other types to TFLM, and allocate nothing of their own."""

from __future__ import annotations

from arenite.libraries.glue import Glue
from arenite.libraries.path import Path, path_to, path_to_reference
from arenite.model.types import INT8
from arenite.ops.constraints import Constraint, NodeView
from arenite.ops.overlap import Clearance, Overlap
from arenite.target import Target


def int8_glue(
    cmsis_nn: str, tflm: str, constraint: Constraint, overlap: Overlap | None = None
) -> Glue:
    """To ``cmsis_nn`` for int8, else to TFLM's ``tflm``; ``overlap`` is that of int8."""

    def decide(view: NodeView, target: Target) -> Path:
        return path_to(cmsis_nn) if view.input(0).type is INT8 else path_to_reference(tflm)

    def overlapping(view: NodeView, position: int, path: Path, target: Target) -> Clearance | None:
        return None if overlap is None else overlap(view, position)

    return Glue(decide, constraints=(constraint,), overlap=overlapping)
