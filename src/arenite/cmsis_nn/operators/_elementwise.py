"""What the glue of ADD and MUL shares."""

from __future__ import annotations

from arenite.cmsis_nn.path import Condition, Path, asked_for, path_to, path_to_reference
from arenite.model import TensorType
from arenite.ops.constraints import NodeView


def elementwise_path(view: NodeView, cmsis_nn: str, tflm: str) -> Path:
    """To ``cmsis_nn`` for int8 and int16 inputs of one shape, else to TFLM's ``tflm``."""
    type_ = view.input(0).type
    if type_ not in (TensorType.INT8, TensorType.INT16):
        return path_to_reference(tflm)
    function = f"{cmsis_nn}_{'s16' if type_ is TensorType.INT16 else 's8'}"
    asked = asked_for(function, same_shapes(view))
    if not asked[0].holds:
        return path_to_reference(f"Broadcast{tflm}4DSlow", *asked)
    return path_to(function, asked)


def same_shapes(view: NodeView) -> Condition:
    """Whether nothing broadcasts (``ProcessBroadcastShapes``); leading ones do not count."""
    a, b = view.input(0).shape, view.input(1).shape
    rank = max(len(a), len(b))
    extended = [(1,) * (rank - len(shape)) + shape for shape in (a, b)]
    values = f"{list(a)}" if a == b else f"{list(a)}, {list(b)}"
    return Condition(f"the inputs have one shape: {values}", extended[0] == extended[1])
