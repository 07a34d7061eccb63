"""BATCH_MATMUL: TFLM ``micro/kernels/cmsis_nn/batch_matmul.cc``."""

from __future__ import annotations

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.operators._constraints import within_4_dimensions
from arenite.cmsis_nn.path import Path, path_to, path_to_reference
from arenite.cmsis_nn.targets import Target
from arenite.memory.abi import Struct
from arenite.memory.structs import int_array
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.tflite.batch_matmul import OP_DATA as REFERENCE_OP_DATA
from arenite.ops.tflite.batch_matmul import QUANTIZATION, allocate_transposed

#: The reference's, the output's shape as ``cmsis_nn_dims``, the index of a scratch buffer.
OP_DATA = Struct("OpData", (REFERENCE_OP_DATA, ("int32", 4), "int"))


def path(view: NodeView, target: Target) -> Path:
    """By the type of activations."""
    match view.input(0).type:
        case TensorType.FLOAT32:
            return path_to_reference("BatchMatMul")
        case TensorType.INT16:
            return path_to("arm_batch_matmul_s16", (), "arm_nn_vec_mat_mult_t_s16_s16")
    return path_to("arm_batch_matmul_s8", (), "arm_nn_vec_mat_mult_t_s8")


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """For int8, where vectors need them, the sums of the right side's columns."""
    if view.input(0).type is not TensorType.INT8:
        return ()
    size = sizes.arm_fully_connected_s8_get_buffer_size(view.output(0).shape[-1], target)
    return (Scratch(size, "kernel sums"),) if size > 0 else ()


def allocate(context: Context, node: Node, target: Target) -> None:
    """Tensors, transposed copies, the output's dimensions, quantisation."""
    lhs = input_tensor(context, node, 0)
    rhs = input_tensor(context, node, 1)
    output = output_tensor(context, node)
    if node.options.adj_x:
        allocate_transposed(context, lhs)
    if not node.options.adj_y:
        allocate_transposed(context, rhs)
    dimensions = int_array(len(output.shape)).size(context.abi)
    context.allocate_persistent_buffer(dimensions, "output's dimensions")
    if lhs.type is not TensorType.FLOAT32:
        context.allocate_persistent_buffer(QUANTIZATION.size(context.abi), "quantization")


GLUE = Glue(
    path=path,
    op_data=OP_DATA,
    allocate=allocate,
    scratch=scratch,
    constraints=(within_4_dimensions,),
)
