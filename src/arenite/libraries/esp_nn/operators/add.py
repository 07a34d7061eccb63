"""ADD: esp-tflite-micro ``micro/kernels/esp_nn/add.cc``; it allocates what the reference does."""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch.paths import decides_int8, overlap
from arenite.libraries.glue import Glue
from arenite.libraries.shapes import same_shapes

GLUE = Glue(decides_int8("add_elementwise", "Add", same_shapes), overlap=overlap)
