"""ADD: TFLM ``micro/kernels/cmsis_nn/add.cc``; it allocates what the reference does."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.decisions import elementwise
from arenite.libraries.glue import Glue

GLUE = Glue(elementwise.decides("arm_elementwise_add", "Add"), overlap=elementwise.overlap)
