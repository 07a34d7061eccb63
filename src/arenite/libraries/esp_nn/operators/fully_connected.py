"""FULLY_CONNECTED: esp-tflite-micro ``micro/kernels/esp_nn/fully_connected.cc``.

It allocates what the reference does.
"""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch import faults
from arenite.libraries.esp_nn.dispatch.paths import is_int8, overlap, to_kernel
from arenite.libraries.glue import Glue
from arenite.libraries.path import Path, Questions
from arenite.ops.constraints import NodeView
from arenite.ops.tflite.fully_connected import is_per_channel
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By types, and whether units have scales of their own."""
    questions = Questions()
    if not questions.hold("esp_nn_fully_connected_s8", is_int8(view, 0, 1)):
        return questions.reference("FullyConnected")
    per_channel = is_per_channel(view.input(1))
    return to_kernel(questions, "fully_connected" + "_per_ch" * per_channel, target)


GLUE = Glue(decide, overlap=overlap, undefined=faults.fully_connected_faults)
