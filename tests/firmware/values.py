"""Tensors without a network."""

from typing import Any

import numpy as np

from arenite.firmware.network.layers import Value
from arenite.model import TensorType


def value(
    *shape: int, kind: TensorType = TensorType.INT8, data: np.ndarray[Any, Any] | None = None
) -> Value:
    """A tensor of such a shape."""
    return Value(0, "v", kind, shape, 1.0, 0, data)
