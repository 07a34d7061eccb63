"""SVDF: TFLM ``micro/kernels/cmsis_nn/svdf.cc``.

Built with ``KERNELS_OPTIMIZED_FOR_SPEED``, TFLM's default. :mod:`arenite.cmsis_nn.arithmetic.svdf`
says where CMSIS-NN's results differ from the reference's, which are those computed here.
"""

from __future__ import annotations

from arenite.cmsis_nn.decisions.path import Path
from arenite.cmsis_nn.decisions.svdf import decide
from arenite.cmsis_nn.glue import Glue
from arenite.memory.abi import Struct
from arenite.ops import Context, Node
from arenite.ops.kernel_util import input_tensor, output_tensor

OP_DATA = Struct("CmsisNnOpDataSvdf", ("int32", "int32", *("int",) * 7, "pointer"))


def allocate(context: Context, node: Node, path: Path) -> None:
    """All tensors; sums of the feature weights where vectors need them."""
    tensors = [input_tensor(context, node, index) for index in range(5)]
    output_tensor(context, node)
    for sums in path.persistent:
        if not tensors[1].is_constant:
            context.report_error("with CMSIS-NN and vectors the feature weights are a constant")
        context.allocate_persistent_buffer(sums.size, sums.purpose)


GLUE = Glue(decide, op_data=OP_DATA, allocate=allocate)
