"""AVERAGE_POOL_2D: TFLM ``micro/kernels/cmsis_nn/pooling.cc``."""

from __future__ import annotations

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.operators._pooling import OP_DATA, path_by_type
from arenite.cmsis_nn.path import Path
from arenite.cmsis_nn.targets import Target
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import input_tensor, output_tensor


def path(view: NodeView, target: Target) -> Path:
    """By the type of activations."""
    return path_by_type(view.input(0).type, "arm_avgpool", "AveragePool")


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """Sums of a window, if the target needs memory for them."""
    if view.input(0).type is TensorType.FLOAT32:
        return ()
    size = sizes.arm_avgpool_s8_get_buffer_size(view.input(0).shape[3], target)
    return (Scratch(size, "sums"),) if size > 0 else ()


def allocate(context: Context, node: Node, target: Target) -> None:
    """Both tensors, and again after ``PoolingPrepare``."""
    for _ in range(2):
        input_tensor(context, node, 0)
        output_tensor(context, node)


GLUE = Glue(path=path, op_data=OP_DATA, allocate=allocate, scratch=scratch)
