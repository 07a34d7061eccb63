"""SVDF: TFLM ``micro/kernels/cmsis_nn/svdf.cc``.

Built with ``KERNELS_OPTIMIZED_FOR_SPEED``, TFLM's default.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.decisions.fully_connected import kernel_sums
from arenite.libraries.path import Path, Scratch, path_to, path_to_reference
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By the type of the time weights."""
    path = _function(view)
    if view.input(0).type is TensorType.FLOAT32:
        return path
    return replace(path, persistent=kernel_sums(view.input(1).shape[0], target))


def _function(view: NodeView) -> Path:
    scratch = _scratch(view)
    match view.input(2).type:
        case TensorType.FLOAT32:
            return path_to_reference("EvalFloatSvdfReference", scratch)
        case TensorType.INT16:
            inner = "arm_nn_vec_mat_mult_t_svdf_s8"
            return path_to("arm_svdf_state_s16_s8", inner, scratch=scratch)
    return path_to("arm_svdf_s8", "arm_nn_vec_mat_mult_t_s8", scratch=scratch)


def _scratch(view: NodeView) -> tuple[Scratch, ...]:
    """One int32 or float per filter, and for integers one int32 per unit."""
    batches, filters = view.input(0).shape[0], view.input(1).shape[0]
    products = Scratch(4 * batches * filters, "filters")
    if view.input(0).type is TensorType.FLOAT32:
        return (products,)
    return products, Scratch(4 * batches * (filters // view.options.rank), "units")
