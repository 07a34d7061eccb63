"""SVDF: TFLM ``micro/kernels/cmsis_nn/svdf.cc``.

Built with ``KERNELS_OPTIMIZED_FOR_SPEED``, TFLM's default. :mod:`arenite.cmsis_nn.svdf` says where
CMSIS-NN's results differ from the reference's, which are those computed here.
"""

from __future__ import annotations

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.path import Path, path_to, path_to_reference
from arenite.cmsis_nn.targets import Target
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import input_tensor, output_tensor

OP_DATA = Struct("CmsisNnOpDataSvdf", ("int32", "int32", *("int",) * 7, "pointer"))


def path(view: NodeView, target: Target) -> Path:
    """By the type of the time weights."""
    match view.input(2).type:
        case TensorType.FLOAT32:
            return path_to_reference("EvalFloatSvdfReference")
        case TensorType.INT16:
            return path_to("arm_svdf_state_s16_s8", (), "arm_nn_vec_mat_mult_t_svdf_s8")
    return path_to("arm_svdf_s8", (), "arm_nn_vec_mat_mult_t_s8")


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """One int32 or float per filter, and for integers one int32 per unit."""
    batches, filters = view.input(0).shape[0], view.input(1).shape[0]
    products = Scratch(4 * batches * filters, "filters")
    if view.input(0).type is TensorType.FLOAT32:
        return (products,)
    return products, Scratch(4 * batches * (filters // view.options.rank), "units")


def allocate(context: Context, node: Node, target: Target) -> None:
    """All tensors; sums of the feature weights where vectors need them."""
    tensors = [input_tensor(context, node, index) for index in range(5)]
    output_tensor(context, node)
    if tensors[0].type is TensorType.FLOAT32:
        return
    size = sizes.arm_svdf_s8_get_buffer_size(tensors[1].shape[0], target)
    if size > 0:
        if not tensors[1].is_constant:
            context.report_error("with CMSIS-NN and vectors the feature weights are a constant")
        context.allocate_persistent_buffer(size, "kernel sums")


GLUE = Glue(path=path, op_data=OP_DATA, allocate=allocate, scratch=scratch)
