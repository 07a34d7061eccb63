"""Common parts of SignalRfft and SignalIrfft: options, tables, rows.

Facts: TFLM ``signal/micro/kernels/rfft.cc``, ``irfft.cc`` and KISS FFT's structs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.memory.abi import Abi, Struct
from arenite.model import TensorType
from arenite.model.types import FLOAT32, INT16, INT32
from arenite.numeric import fft
from arenite.ops import constraints as c
from arenite.ops.context import Context
from arenite.ops.shared.signal import read_options

TYPES = (INT16, INT32, FLOAT32)


@dataclass(frozen=True)
class FftParams:
    """A real transform of rows.

    Tables hold (real, imaginary) pairs, floats by their bits. ``input_size`` and ``output_size``
    are those of a row in numbers, complex ones of two.
    """

    length: int
    type: int
    is_inverse: bool
    rows: int
    input_size: int
    output_size: int
    factors: npt.NDArray[np.int32]
    twiddles: npt.NDArray[np.int32]
    real_twiddles: npt.NDArray[np.int32]


def read_fft_options(context: Context, options: bytes) -> tuple[int, TensorType]:
    """The transform's length and type."""
    kind, length = read_options(context, options, "T", "fft_length")
    if kind not in TYPES:
        numbers = ", ".join(str(int(one)) for one in TYPES)
        context.report_error(f"expected T to be one of {numbers}, got {kind}")
    if not 4 <= length <= 2**20 or not fft.is_possible(length):
        context.report_error(
            "expected fft_length to be even, from 4 to 2**20, and its half a product of 2, 3 and "
            f"5, got {length}"
        )
    return length, TensorType(kind)


def tables_bytes(abi: Abi, length: int, kind: TensorType) -> int:
    """Bytes of KISS FFT for its tables and its work."""
    pair, half = 2 * kind.nbytes(1), length // 2
    real = Struct("kiss_fftr_state", ("pointer", "pointer", "pointer"))
    complex_ = Struct("kiss_fft_state", ("int", "int", ("int", 64)))
    return real.size(abi) + complex_.size(abi) + pair * half + pair * (half * 3 // 2)


def same_rank(node: c.NodeView) -> bool:
    """Input 0 and output 0 have the same number of dimensions."""
    return len(node.input(0).shape) == len(node.output(0).shape)


def finish(
    context: Context, plan: fft.Plan, kind: TensorType, rows: int, sizes: tuple[int, int]
) -> FftParams:
    """The record of a transform of so many rows, of these sizes of input and output."""
    return FftParams(
        plan.length,
        int(kind),
        plan.is_inverse,
        rows,
        *sizes,
        np.array(plan.factors, np.int32),
        _pairs(plan.twiddles, kind),
        _pairs(plan.real_twiddles, kind),
    )


def _pairs(values: fft.Complex, kind: TensorType) -> npt.NDArray[np.int32]:
    pairs = np.stack([*values], axis=-1)
    if kind is FLOAT32:
        return np.ascontiguousarray(pairs).view(np.int32)
    return pairs.astype(np.int32)


#: What holds for both.
CONSTRAINTS = (
    *c.counts(1, 1),
    c.input_types(0, *TYPES),
    c.same_type(),
    same_rank,
)
