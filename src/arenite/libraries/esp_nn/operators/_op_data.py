"""``NodeData`` of both convolutions: a buffer's index is added to the reference's struct."""

from __future__ import annotations

from arenite.memory.abi import Struct
from arenite.ops.shared import convolution

CONVOLUTION = Struct("NodeData", (convolution.OP_DATA, "int"))
