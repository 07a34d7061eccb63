"""Common parts of SOFTMAX and LOG_SOFTMAX: differences from the maximum, scaled for int8.

Facts: TFLM ``kernels/internal/quantization_util.cc`` (``PreprocessSoftmaxScaling``,
``CalculateInputRadius``).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.numeric import fixedpoint as fp
from arenite.numeric import gemmlowp
from arenite.numeric.fixedpoint import Int64Array
from arenite.ops.context import Array, Context, TfLiteTensor
from arenite.ops.kernel_util import in_c, requantization_above_one

#: Integer bits of scaled differences, and of sums of exponentials.
DIFFERENCE_BITS = 5
ACCUMULATION_BITS = 12


def row_maximum(x: Array) -> Array:
    """The largest value along the last axis, which is kept and may be empty."""
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    maximum: Array = x.max(axis=-1, keepdims=True, initial=lowest)
    return maximum


def difference_scaling(context: Context, beta: float, inp: TfLiteTensor) -> tuple[int, int]:
    """Multiplier and left shift from input steps to Q5.26 times ``beta``."""
    most = float((1 << 30) - 1 if context.target.rounding == "single" else fp.INT32_MAX)
    if context.target.emulate_float:
        fraction, shift = fp.integer_frexp(fp.multiply_integer(beta, inp.scale))
        real = fp.double_from(fraction, shift + 31 - DIFFERENCE_BITS)
    else:
        real = beta * inp.scale * (1 << (31 - DIFFERENCE_BITS))
    real = min(real, most)
    return requantization_above_one(context, real, "beta * input scale * 2**26")


def input_radius(integer_bits: int, left_shift: int) -> int:
    """The largest input magnitude that still fits after ``left_shift``."""
    return ((1 << integer_bits) - 1 << 31 - integer_bits) >> left_shift


def scaled_differences(multiplier: int, left_shift: int) -> Int64Array:
    """``-i`` input steps in Q5.26, for i from 0 to the input radius, at most 255."""
    count = min(input_radius(DIFFERENCE_BITS, left_shift), 255) + 1
    shifted = -np.arange(count, dtype=np.int64) << left_shift
    return fp.saturating_rounding_doubling_high_mul(shifted, multiplier)


def difference_table(multiplier: int, left_shift: int) -> npt.NDArray[np.int32]:
    """``exp`` of ``-i`` input steps for i = 0 .. 255, no integer bits; 0 past the radius."""
    quick = in_c()
    if quick is not None:
        count = min(input_radius(DIFFERENCE_BITS, left_shift), 255) + 1
        found: npt.NDArray[np.int32] = quick.difference_table(multiplier, left_shift, count)
        return found
    table = np.zeros(256, np.int32)
    scaled = scaled_differences(multiplier, left_shift)
    table[: len(scaled)] = gemmlowp.exp_on_negative_values(scaled, DIFFERENCE_BITS)
    return table
