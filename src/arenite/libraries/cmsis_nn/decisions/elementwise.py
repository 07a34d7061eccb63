"""ADD and MUL: TFLM ``micro/kernels/cmsis_nn/add.cc``, ``mul.cc``."""

from __future__ import annotations

from collections.abc import Callable

from arenite.libraries.path import Path, Questions
from arenite.libraries.shapes import same_shapes
from arenite.model.types import INT8, INT16
from arenite.ops.constraints import NodeView
from arenite.ops.overlap import Clearance
from arenite.ops.shared.overlap import element_by_element
from arenite.target import Target


def decides(cmsis_nn: str, tflm: str) -> Callable[[NodeView, Target], Path]:
    """To ``cmsis_nn`` for int8 and int16 inputs of one shape, else to TFLM's ``tflm``."""

    def decide(view: NodeView, target: Target) -> Path:
        type_, questions = view.input(0).type, Questions()
        if type_ not in (INT8, INT16):
            return questions.reference(tflm)
        function = f"{cmsis_nn}_{'s16' if type_ is INT16 else 's8'}"
        if not questions.hold(function, same_shapes(view)):
            return questions.reference(f"Broadcast{tflm}4DSlow")
        return questions.path(function)

    return decide


def overlap(view: NodeView, position: int, path: Path, target: Target) -> Clearance | None:
    """Up to 16 elements are loaded, then written."""
    return element_by_element(0, 1)(view, position)
