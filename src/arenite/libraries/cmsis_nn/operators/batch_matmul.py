"""BATCH_MATMUL: TFLM ``micro/kernels/cmsis_nn/batch_matmul.cc``.

int16: :mod:`arenite.libraries.cmsis_nn.operators._narrow`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.libraries.cmsis_nn.decisions.batch_matmul import decide
from arenite.libraries.cmsis_nn.operators._constraints import within_4_dimensions
from arenite.libraries.cmsis_nn.operators._narrow import INT16_PRODUCT, narrow
from arenite.libraries.glue import Glue, OwnBits
from arenite.libraries.path import Path
from arenite.memory.abi import Struct
from arenite.memory.structs import int_array
from arenite.model import TensorType
from arenite.ops import Context, Node, NodeView
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.tflite.batch_matmul import OP_DATA as REFERENCE_OP_DATA
from arenite.ops.tflite.batch_matmul import QUANTIZATION, BatchMatMulParams, allocate_transposed

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
    context.reserve_persistent_buffer(dimensions, "output's dimensions")
    if lhs.type is not TensorType.FLOAT32:
        context.reserve_persistent_buffer(QUANTIZATION.size(context.abi), "quantization")


def own(view: NodeView, params: BatchMatMulParams, path: Path) -> BatchMatMulParams:
    """int16 has 31 bits."""
    if path.function != "arm_batch_matmul_s16":
        return params
    depth = view.input(0).shape[-2 if params.adj_x else -1]
    given = np.array([params.output_multiplier]), np.array([params.output_shift])
    return replace(params, output_shift=int(narrow(*given, depth * INT16_PRODUCT)[0]))


GLUE = Glue(
    decide,
    op_data=OP_DATA,
    allocate=allocate,
    constraints=(within_4_dimensions,),
    bits=OwnBits(BatchMatMulParams, own),
)
