"""BATCH_MATMUL: TFLM ``micro/kernels/cmsis_nn/batch_matmul.cc``."""

from __future__ import annotations

from arenite.cmsis_nn.decisions.batch_matmul import decide
from arenite.cmsis_nn.decisions.path import Path
from arenite.cmsis_nn.glue import Glue
from arenite.cmsis_nn.operators._constraints import within_4_dimensions
from arenite.memory.abi import Struct
from arenite.memory.structs import int_array
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.tflite.batch_matmul import OP_DATA as REFERENCE_OP_DATA
from arenite.ops.tflite.batch_matmul import QUANTIZATION, allocate_transposed

#: The reference's, the output's shape as ``cmsis_nn_dims``, the index of a scratch buffer.
OP_DATA = Struct("OpData", (REFERENCE_OP_DATA, ("int32", 4), "int"))


def allocate(context: Context, node: Node, path: Path) -> None:
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
    decide,
    op_data=OP_DATA,
    allocate=allocate,
    constraints=(within_4_dimensions,),
)
