"""The real numbers that a quantised constant stands for."""

from __future__ import annotations

import numpy as np

from arenite.model import Tensor, TensorType
from arenite.model.model import Array
from arenite.ops.kernel_util import unpack_int4

#: Types of quantised weights.
INTEGERS = (TensorType.INT8, TensorType.UINT8, TensorType.INT16, TensorType.INT4)
#: And of biases.
_ALL = (*INTEGERS, TensorType.INT32, TensorType.INT64)


def as_floats(tensor: Tensor) -> Array | None:
    """A constant's real values as float32; None where that is not known."""
    value = tensor.value
    if value is None:
        return None
    if tensor.type is TensorType.FLOAT16:
        with np.errstate(over="ignore"):
            return value.astype(np.float32)
    q = tensor.quantization
    if tensor.type not in _ALL or q is None or not len(q.scale):
        return None
    if tensor.type is TensorType.INT4:
        value = unpack_int4(value, tensor.size).reshape(tensor.shape)
    shape = [1] * value.ndim
    axis = q.quantized_dimension
    if len(q.scale) > 1:
        if not 0 <= axis < value.ndim or value.shape[axis] != len(q.scale):
            return None
        shape[axis] = len(q.scale)
    zero = q.zero_point if len(q.zero_point) else np.zeros(1, np.int64)
    zeros = np.broadcast_to(zero.astype(np.float32), q.scale.shape).reshape(shape)
    with np.errstate(over="ignore", invalid="ignore"):
        wide = value.astype(np.float32)  # a difference of small integers: exact
        return np.asarray((wide - zeros) * q.scale.reshape(shape).astype(np.float32))
