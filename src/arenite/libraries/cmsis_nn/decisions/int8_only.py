"""Operators whose int8 goes to CMSIS-NN and whose other types to TFLM."""

from __future__ import annotations

from arenite.libraries.path import Path, path_to, path_to_reference
from arenite.model import TensorType
from arenite.ops.constraints import NodeView


def decide(view: NodeView, cmsis_nn: str, tflm: str) -> Path:
    """To ``cmsis_nn`` for int8, else to TFLM's ``tflm``."""
    is_int8 = view.input(0).type is TensorType.INT8
    return path_to(cmsis_nn) if is_int8 else path_to_reference(tflm)
