"""AVERAGE_POOL_2D: esp-tflite-micro ``micro/kernels/esp_nn/pooling.cc``.

It allocates what the reference does.
"""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch.paths import decides_int8, overlap
from arenite.libraries.glue import Glue

GLUE = Glue(decides_int8("avg_pool", "AveragePool"), overlap=overlap)
