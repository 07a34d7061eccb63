"""BATCH_MATMUL: TFLM ``micro/kernels/cmsis_nn/batch_matmul.cc``."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.decisions.fully_connected import kernel_sums
from arenite.libraries.path import Path, path_to, path_to_reference
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By the type of activations; int8 sums the right side's columns where vectors need them."""
    match view.input(0).type:
        case TensorType.FLOAT32:
            return path_to_reference("BatchMatMul")
        case TensorType.INT16:
            return path_to("arm_batch_matmul_s16", "arm_nn_vec_mat_mult_t_s16_s16")
    sums = kernel_sums(view.output(0).shape[-1], target)
    return path_to("arm_batch_matmul_s8", "arm_nn_vec_mat_mult_t_s8", scratch=sums)
