"""AVERAGE_POOL_2D: TFLM ``micro/kernels/cmsis_nn/pooling.cc``."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.decisions.pooling import decide_average, overlap_average
from arenite.libraries.cmsis_nn.operators._op_data import POOLING
from arenite.libraries.glue import Glue
from arenite.libraries.path import Path
from arenite.ops import Context, Node
from arenite.ops.kernel_util import input_tensor, output_tensor


def allocate(context: Context, node: Node, path: Path) -> None:
    """Both tensors, and again after ``PoolingPrepare``."""
    for _ in range(2):
        input_tensor(context, node, 0)
        output_tensor(context, node)


GLUE = Glue(decide_average, op_data=POOLING, allocate=allocate, overlap=overlap_average)
