"""What has to hold in the quantisation of tensors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import ModelError
from arenite.model.model import Quantization, Tensor
from arenite.model.types import TensorType

Array = npt.NDArray[Any]

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


#: Whether all numbers of some arrays lie in ``[low, high]``; None where it cannot tell.
Within = Callable[[list[Array], float, float], bool | None]


def are_sound(tensors: Sequence[Tensor], within: Within | None = None) -> bool:
    """Whether :func:`check_quantization` has nothing to say of any of the tensors.

    It looks at all their numbers together, which takes NumPy hardly longer than those of one, and
    ``within`` less.
    """
    scales: list[Array] = []
    zero_points: list[Array] = []
    types: set[TensorType] = set()
    for tensor in tensors:
        quantization = tensor.quantization
        if quantization is None:
            continue
        scale, zero_point = quantization.scale, quantization.zero_point
        if len(zero_point) > 1 and len(zero_point) != len(scale):
            return False
        if not 0 <= quantization.quantized_dimension < MAX_RANK:
            return False
        scales.append(scale)
        zero_points.append(zero_point)
        types.add(tensor.type)
    if not scales:
        return True
    if not _are_all_within(scales, 0.0, _FLOAT32_MAX, within):
        return False
    # Most are 0, or in the range of the smallest type that is there.
    ranges = [_ZERO_POINTS.get(type_, _ANY_ZERO_POINT) for type_ in types]
    low, high = max(low for low, _ in ranges), min(high for _, high in ranges)
    is_near = _are_all_within(zero_points, low, high, within)
    return is_near or _are_within_their_types(tensors)


def _are_all_within(arrays: list[Array], low: float, high: float, within: Within | None) -> bool:
    found = None if within is None else within(arrays, low, high)
    return _are_within(np.concatenate(arrays), low, high) if found is None else found


def _are_within_their_types(tensors: Iterable[Tensor]) -> bool:
    found: dict[TensorType, list[Array]] = defaultdict(list)
    for tensor in tensors:
        if tensor.quantization is not None:
            found[tensor.type].append(tensor.quantization.zero_point)
    return all(
        _are_within(np.concatenate(arrays), *_ZERO_POINTS.get(type_, _ANY_ZERO_POINT))
        for type_, arrays in found.items()
    )


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
    low, high = _ZERO_POINTS.get(tensor.type, _ANY_ZERO_POINT)
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
