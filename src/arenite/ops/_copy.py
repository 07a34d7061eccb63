"""What operators share that move elements and compute nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import TensorType
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, output_array

#: Types whose elements are whole bytes, the same in TFLM and in NumPy.
WHOLE_BYTE_TYPES = (
    TensorType.FLOAT32,
    TensorType.FLOAT16,
    TensorType.FLOAT64,
    TensorType.INT8,
    TensorType.INT16,
    TensorType.INT32,
    TensorType.INT64,
    TensorType.UINT8,
    TensorType.UINT16,
    TensorType.UINT32,
    TensorType.UINT64,
    TensorType.BOOL,
    TensorType.COMPLEX64,
    TensorType.COMPLEX128,
)


@dataclass(frozen=True)
class CopyParams:
    """A plain copy of ``nbytes`` bytes from input 0 to output 0."""

    nbytes: int


def copy_params(elements: int, type_: TensorType) -> CopyParams:
    """The parameters of a copy of ``elements`` elements."""
    return CopyParams(nbytes=type_.nbytes(elements))


def copy_invoke(context: Context, node: Node) -> None:
    """An ``invoke``: output 0 gets the elements of input 0 in their order.

    The two may be the same memory; then nothing is done.
    """
    copy_flat(input_array(context, node, 0), output_array(context, node))


def copy_flat(x: Array, out: Array) -> None:
    """Copy all elements in order, whatever the two shapes (NumPy skips ``x is out``)."""
    np.copyto(out.reshape(-1), x.reshape(-1))


def constant_values(context: Context, index: int) -> tuple[int, ...] | None:
    """The integers of a constant tensor, flat, or None if it is none.

    Reads the tensor as a kernel does, so that no temporary tensor is counted.
    """
    tensor = context.get_eval_tensor(index)
    if tensor.data is None or tensor.data.flags.writeable or tensor.data.dtype.kind not in "iu":
        return None
    return tuple(int(value) for value in tensor.data.reshape(-1))
