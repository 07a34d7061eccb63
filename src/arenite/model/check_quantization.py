"""Conditions of the quantisation of tensors."""

from __future__ import annotations

import numpy as np

from arenite.errors import ModelError
from arenite.model.model import Array, Quantization, Tensor
from arenite.model.types import TensorType

#: Dimensions that every supported NumPy can handle.
MAX_RANK = 32

_ZERO_POINTS = {
    TensorType.INT4: (-8, 7),
    TensorType.UINT4: (0, 15),
    TensorType.INT2: (-2, 1),
    TensorType.INT8: (-128, 127),
    TensorType.UINT8: (0, 255),
    TensorType.INT16: (-(2**15), 2**15 - 1),
    TensorType.UINT16: (0, 2**16 - 1),
}
_ANY_ZERO_POINT = (-(2**31), 2**31 - 1)
#: Fewer numbers than these Python compares before NumPy has begun.
_FEW = 32
_FLOAT32_MAX = float(np.finfo(np.float32).max)


def zero_points_of(type_: TensorType) -> tuple[int, int]:
    """The least and the greatest zero point of a type."""
    return _ZERO_POINTS.get(type_, _ANY_ZERO_POINT)


def check_quantization(tensor: Tensor, quantization: Quantization, path: str) -> None:
    """Check the quantisation of the tensor at ``path``.

    Raises:
        ModelError: Names what is wrong with it.
    """
    scale, zero_point = quantization.scale, quantization.zero_point
    if not _are_within(scale, 0.0, _FLOAT32_MAX):
        raise ModelError(
            f"expected finite scales of 0 or more, got {scale[:8]}",
            path=f"{path}.quantization.scale",
        )
    if len(zero_point) not in (0, 1, len(scale)):
        raise ModelError(
            f"expected 0, 1 or {len(scale)} zero points (as many as scales), got {len(zero_point)}",
            path=f"{path}.quantization.zero_point",
        )
    low, high = zero_points_of(tensor.type)
    if not _are_within(zero_point, low, high):
        raise ModelError(
            f"expected zero points of {tensor.type} from {low} to {high}, got {zero_point[:8]}",
            path=f"{path}.quantization.zero_point",
        )
    # Old converters give a bias the quantised dimension of its filter: TFLM reads it for
    # weights only, and their kernels look whether the tensor has that dimension.
    if not 0 <= quantization.quantized_dimension < MAX_RANK:
        raise ModelError(
            f"expected a quantised dimension from 0 to {MAX_RANK - 1}, got "
            f"{quantization.quantized_dimension}",
            path=f"{path}.quantization.quantized_dimension",
        )


def _are_within(values: Array, low: float, high: float) -> bool:
    """Whether all values lie in ``[low, high]``, as 0 does; NaN does not."""
    if len(values) < _FEW:
        return all(low <= value <= high for value in values.tolist())
    least = np.minimum.reduce(values, initial=0)
    return bool(least >= low and np.maximum.reduce(values, initial=0) <= high)
