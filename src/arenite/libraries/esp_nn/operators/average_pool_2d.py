"""AVERAGE_POOL_2D: esp-tflite-micro ``micro/kernels/esp_nn/pooling.cc``.

It allocates what the reference does.
"""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch.paths import is_int8, overlap, to_kernel
from arenite.libraries.glue import Glue
from arenite.libraries.path import Path, Questions
from arenite.ops.constraints import NodeView
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By type."""
    questions = Questions()
    if not questions.hold("esp_nn_avg_pool_s8", is_int8(view)):
        return questions.reference("AveragePool")
    return to_kernel(questions, "avg_pool", target)


GLUE = Glue(decide, overlap=overlap)
