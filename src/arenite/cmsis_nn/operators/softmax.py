"""SOFTMAX: TFLM ``micro/kernels/cmsis_nn/softmax.cc``."""

from __future__ import annotations

from arenite.cmsis_nn.decisions.softmax import decide
from arenite.cmsis_nn.glue import Glue
from arenite.memory.abi import Struct
from arenite.ops.tflite.softmax import OP_DATA as REFERENCE_OP_DATA

OP_DATA = Struct("CMSISNNSoftmaxParams", (REFERENCE_OP_DATA, "int32", "int32"))


GLUE = Glue(decide, op_data=OP_DATA)
