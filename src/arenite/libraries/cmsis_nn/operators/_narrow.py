"""int16: CMSIS-NN's 64-bit results have 31 bits where TFLM's have 32.

``arm_nn_requantize_s64`` (``Include/arm_nnsupportfunctions.h``) cuts twice the result to 32 bits,
rounds and halves it. Results from 2**30 on, of scales that make int16 saturate 32,768 times over,
come out with the wrong sign.
"""

from __future__ import annotations

import numpy as np

from arenite.numeric.fixedpoint import NARROW, bare_shift
from arenite.ops.context import Array, TfLiteTensor

#: Products of two int16, and of int16 and int8, in magnitude.
INT16_PRODUCT, INT8_PRODUCT = 1 << 30, 1 << 22


def narrow(
    multiplier: Array, shift: Array, largest: int, bias: TfLiteTensor | None = None
) -> Array:
    """The shifts, which ask for 31 bits where sums up to ``largest``, and a bias, may need 32."""
    most = float(largest)
    if bias is not None:
        addends = np.inf if bias.data is None else bias.data.astype(np.float64)
        most += float(np.abs(addends).max(initial=0))
    results = most * np.abs(multiplier.astype(np.float64)) * 2.0 ** (bare_shift(shift) - 31)
    needs_32_bits = bool(results.max(initial=0) > 0.99 * 2**30)
    narrowed: Array = shift + np.int32(NARROW * needs_32_bits)
    return narrowed
