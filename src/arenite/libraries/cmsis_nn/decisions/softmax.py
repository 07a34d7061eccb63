"""SOFTMAX: TFLM ``micro/kernels/cmsis_nn/softmax.cc``."""

from __future__ import annotations

from arenite.libraries.path import Path, path_to, path_to_reference
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.overlap import Clearance
from arenite.ops.shared.overlap import element_by_element
from arenite.target import Target

_COMMON = "arm_nn_softmax_common_s8"


def decide(view: NodeView, target: Target) -> Path:
    """By the types of input and output."""
    match view.input(0).type, view.output(0).type:
        case TensorType.FLOAT32, _:
            return path_to_reference("Softmax")
        case TensorType.INT16, _:
            return path_to("arm_softmax_s16")
        case _, TensorType.INT16:
            return path_to("arm_softmax_s8_s16", _COMMON)
    return path_to("arm_softmax_s8", *(() if target.instructions == "mve" else (_COMMON,)))


def overlap(view: NodeView, position: int, path: Path, target: Target) -> Clearance | None:
    """A row is read, then each of its elements just before it is written."""
    return element_by_element(0)(view, position)
