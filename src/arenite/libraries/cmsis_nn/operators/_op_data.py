"""``OpData`` that several of TFLM's CMSIS-NN kernels have: a buffer's index is added."""

from __future__ import annotations

from arenite.memory.abi import Struct
from arenite.ops.shared import convolution, pooling

CONVOLUTION = Struct("OpData", (convolution.OP_DATA, "int"))
POOLING = Struct("OpData", (pooling.OP_DATA, "int"))
