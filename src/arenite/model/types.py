"""Element types of tensors, with the codes of the TensorFlow Lite schema."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt


class TensorType(IntEnum):
    """A tensor's element type; the values are those of ``schema.fbs``."""

    FLOAT32 = 0
    FLOAT16 = 1
    INT32 = 2
    UINT8 = 3
    INT64 = 4
    STRING = 5
    BOOL = 6
    INT16 = 7
    COMPLEX64 = 8
    INT8 = 9
    FLOAT64 = 10
    COMPLEX128 = 11
    UINT64 = 12
    RESOURCE = 13
    VARIANT = 14
    UINT32 = 15
    UINT16 = 16
    INT4 = 17
    BFLOAT16 = 18
    INT2 = 19
    UINT4 = 20
    FLOAT8_E4M3FN = 21
    FLOAT8_E5M2 = 22

    #: Bits per element; 0 for types without a fixed size (string, variant). A resource is the
    #: number of a variable, an int32 as in TFLM.
    bits: int
    #: The NumPy dtype of one element; sub-byte and opaque types are raw uint8.
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        return self.name.lower()

    def nbytes(self, elements: int) -> int:
        """Bytes that ``elements`` elements take, packed as TensorFlow Lite packs them."""
        return (elements * self.bits + 7) // 8

    @classmethod
    def of(cls, dtype: npt.DTypeLike) -> TensorType:
        """The tensor type of a NumPy dtype.

        Raises:
            TypeError: No tensor type corresponds to ``dtype``.
        """
        wanted = np.dtype(dtype)
        for tensor_type, candidate in _DTYPES.items():
            if candidate == wanted:
                return tensor_type
        raise TypeError(f"no tensor type corresponds to dtype {wanted}")


_RAW = np.dtype(np.uint8)
_DTYPES: dict[TensorType, np.dtype[Any]] = {
    TensorType.FLOAT32: np.dtype(np.float32),
    TensorType.FLOAT16: np.dtype(np.float16),
    TensorType.INT32: np.dtype(np.int32),
    TensorType.UINT8: np.dtype(np.uint8),
    TensorType.INT64: np.dtype(np.int64),
    TensorType.BOOL: np.dtype(np.bool_),
    TensorType.INT16: np.dtype(np.int16),
    TensorType.COMPLEX64: np.dtype(np.complex64),
    TensorType.INT8: np.dtype(np.int8),
    TensorType.FLOAT64: np.dtype(np.float64),
    TensorType.COMPLEX128: np.dtype(np.complex128),
    TensorType.UINT64: np.dtype(np.uint64),
    TensorType.UINT32: np.dtype(np.uint32),
    TensorType.UINT16: np.dtype(np.uint16),
    TensorType.RESOURCE: np.dtype(np.int32),
}
_BITS: dict[TensorType, int] = {
    **{tensor_type: dtype.itemsize * 8 for tensor_type, dtype in _DTYPES.items()},
    TensorType.STRING: 0,
    TensorType.VARIANT: 0,
    TensorType.BFLOAT16: 16,
    TensorType.INT4: 4,
    TensorType.UINT4: 4,
    TensorType.INT2: 2,
    TensorType.FLOAT8_E4M3FN: 8,
    TensorType.FLOAT8_E5M2: 8,
}

for _type in TensorType:  # attributes, since loading a model asks for them thousands of times
    _type.bits = _BITS[_type]
    _type.dtype = _DTYPES.get(_type, _RAW)

#: The types by themselves: short where a list of them says what a kernel takes, and quick where
#: ``prepare`` compares, since an enumeration's attribute takes CPython 3.11 as long as a call.
FLOAT32, FLOAT16, FLOAT64 = TensorType.FLOAT32, TensorType.FLOAT16, TensorType.FLOAT64
INT4, INT8, INT16 = TensorType.INT4, TensorType.INT8, TensorType.INT16
INT32, INT64, BOOL = TensorType.INT32, TensorType.INT64, TensorType.BOOL
UINT8, UINT16 = TensorType.UINT8, TensorType.UINT16
UINT32, UINT64 = TensorType.UINT32, TensorType.UINT64
BFLOAT16, RESOURCE = TensorType.BFLOAT16, TensorType.RESOURCE
COMPLEX64, COMPLEX128 = TensorType.COMPLEX64, TensorType.COMPLEX128
