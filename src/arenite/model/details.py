"""Tensors as the dictionaries that LiteRT's and TFLM's Python packages show them as.

Keys and types: LiteRT ``interpreter.py``, ``interpreter_wrapper.cc``; TFLM
``interpreter_wrapper.cc``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arenite.model.model import Array, Tensor


def quantization_parameters(tensor: Tensor) -> dict[str, Any]:
    """``scales`` (float32), ``zero_points`` (int32) and ``quantized_dimension``."""
    found = tensor.quantization
    if found is None:
        scales, zero_points, axis = np.empty(0, np.float32), np.empty(0, np.int32), 0
    else:
        scales, axis = found.scale.astype(np.float32), found.quantized_dimension
        zero_points = found.zero_point.astype(np.int32)
    return {"scales": scales, "zero_points": zero_points, "quantized_dimension": axis}


def quantization(tensor: Tensor) -> tuple[float, int]:
    """Scale and zero point of a tensor that has one of each, else ``(0.0, 0)``."""
    found = tensor.quantization
    if found is None or len(found.scale) != 1 or len(found.zero_point) != 1:
        return 0.0, 0
    return float(found.scale[0]), int(found.zero_point[0])


def shape_array(shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.int32]]:
    """A shape as int32 ``[rank]``."""
    return np.array(shape, np.int32)


def copied(data: Array) -> Array:
    """A tensor's value for a caller to keep, which is NumPy's scalar where there are no dimensions.

    The packages end with ``PyArray_Return``, which makes that of such an array.
    """
    return data.copy() if data.ndim else data[()]
