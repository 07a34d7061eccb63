"""ADD: esp-tflite-micro ``micro/kernels/esp_nn/add.cc``; it allocates what the reference does."""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch.paths import is_int8, overlap, to_kernel
from arenite.libraries.glue import Glue
from arenite.libraries.path import Path, Questions
from arenite.libraries.shapes import same_shapes
from arenite.ops.constraints import NodeView
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By type, and whether the inputs broadcast."""
    questions = Questions()
    if not questions.hold("esp_nn_add_elementwise_s8", is_int8(view), same_shapes(view)):
        return questions.reference("Add")
    return to_kernel(questions, "add_elementwise", target)


GLUE = Glue(decide, overlap=overlap)
