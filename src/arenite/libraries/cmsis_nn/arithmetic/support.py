"""CMSIS-NN's small functions: reading, widening and requantising values.

Arrays may have leading axes: as many calls of the C function at once. ``count`` is explained
in :mod:`arenite.libraries.cmsis_nn.arithmetic.dsp`. Facts: CMSIS-NN
``Include/arm_nnsupportfunctions.h`` and
``Source/NNSupportFunctions/arm_{s8_to_s16_unordered,q7_to_q15}_with_offset.c``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.libraries.cmsis_nn.arithmetic import dsp
from arenite.libraries.cmsis_nn.arithmetic.dsp import Count, Register
from arenite.numeric import fixedpoint as fp

Int8Array = npt.NDArray[np.int8]
Int16Array = npt.NDArray[np.int16]

_WORD = np.dtype("<i4")


# -- memory -----------------------------------------------------------------------------


def arm_nn_read_s8x4(source: Int8Array, start: int = 0) -> Register:
    """Four int8 from ``start`` on the last axis as one register, the first in bits 0 to 7."""
    return np.ascontiguousarray(source[..., start : start + 4]).view(_WORD)[..., 0]


def arm_nn_read_q15x2(source: Int16Array, start: int = 0) -> Register:
    """Two int16 from ``start`` on the last axis as one register, the first in the low half."""
    return np.ascontiguousarray(source[..., start : start + 2]).view(_WORD)[..., 0]


# -- widening ---------------------------------------------------------------------------


def read_and_pad_reordered(
    source: Int8Array, start: int, count: Count
) -> tuple[Register, Register]:
    """Four int8 as two registers of int16: values 0 and 2, and values 1 and 3."""
    word = arm_nn_read_s8x4(source, start)
    odd = dsp.sxtb16(dsp.ror(word, 8, count), count)
    return dsp.sxtb16(word, count), odd


def arm_s8_to_s16_unordered_with_offset(
    src: Int8Array, dst: Int16Array, offset: int, count: Count
) -> None:
    """int8 to int16 plus ``offset``, four at a time in the order 0, 2, 1, 3.

    What is left over keeps its order. ``src`` may lie behind ``dst`` in the same memory, as
    in the buffer of ``arm_convolve_s8``: all is read before it is written.
    """
    whole = src.shape[-1] // 4 * 4
    words = np.ascontiguousarray(src[..., :whole]).view(_WORD)
    rest = src[..., whole:].astype(np.int16) + np.int16(offset)
    offsets = dsp.pkhbt(np.full(src.shape[:-1], offset), offset, 16, count)[..., np.newaxis]
    even = dsp.sxtab16(offsets, words, count)
    odd = dsp.sxtab16(offsets, dsp.ror(words, 8, count), count)
    halves = np.stack([even, odd], axis=-1).astype(_WORD).view(np.int16)
    dst[..., :whole] = halves.reshape(*src.shape[:-1], whole)
    dst[..., whole:] = rest


def arm_q7_to_q15_with_offset(src: Int8Array, dst: Int16Array, offset: int) -> None:
    """int8 to int16 plus ``offset``, in order; see above for memory that overlaps."""
    dst[...] = src.astype(np.int16) + np.int16(offset)


# -- requantisation ---------------------------------------------------------------------


def arm_nn_requantize(
    value: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike, count: Count
) -> Register:
    """``value * multiplier * 2**(shift - 31)``, rounded twice.

    A left shift comes before the product, a right shift after it. Rounded once where ``shift``
    says so, with an SMLAL as well.
    """
    shift = np.asarray(shift, np.int64)
    if fp.rounds_once(shift):
        dsp.smlal(0, value, multiplier, count)
        return dsp.register(fp.multiply_by_quantized_multiplier(value, multiplier, shift))
    left = fp.wrap_int32(np.asarray(value, np.int64) << np.maximum(shift, 0))
    high = arm_nn_doubling_high_mult_no_sat(left, multiplier, count)
    return arm_nn_divide_by_power_of_two(high, np.maximum(-shift, 0))


def arm_nn_doubling_high_mult_no_sat(
    m1: npt.ArrayLike, m2: npt.ArrayLike, count: Count
) -> Register:
    """The high 32 bits of ``2 * m1 * m2``, rounded to nearest: one SMLAL onto ``2**30``."""
    return dsp.register(dsp.smlal(1 << 30, m1, m2, count) >> 31)


def arm_nn_divide_by_power_of_two(dividend: npt.ArrayLike, exponent: npt.ArrayLike) -> Register:
    """``dividend / 2**exponent``, rounded to nearest, halves away from zero."""
    return dsp.register(fp.rounding_divide_by_pot(dividend, exponent))
