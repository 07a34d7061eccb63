"""SOFTMAX: esp-tflite-micro ``micro/kernels/esp_nn/softmax.cc``.

It takes the second dimension for a row's length when it asks for memory, and the last one when it
computes.
"""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch import faults, scratch
from arenite.libraries.esp_nn.dispatch.paths import overlap, to_kernel
from arenite.libraries.glue import Glue
from arenite.libraries.path import Condition, Path, Questions
from arenite.memory.abi import Struct
from arenite.model.types import INT8
from arenite.ops.constraints import NodeView
from arenite.ops.tflite.softmax import OP_DATA as REFERENCE_OP_DATA
from arenite.target import Target

OP_DATA = Struct("NodeData", (REFERENCE_OP_DATA, "int"))


def decide(view: NodeView, target: Target) -> Path:
    """By the types of input and output."""
    questions = Questions()
    types = view.input(0).type, view.output(0).type
    both = Condition(f"input and output are int8: {types[0]}, {types[1]}", set(types) == {INT8})
    if not questions.hold("esp_nn_softmax_s8", both):
        return questions.reference("Softmax")
    return to_kernel(questions, "softmax", target, scratch.softmax(view.input(0).shape))


GLUE = Glue(
    decide,
    op_data=OP_DATA,
    constraints=(faults.softmax_has_two_dimensions,),
    overlap=overlap,
    undefined=faults.softmax_faults,
)
