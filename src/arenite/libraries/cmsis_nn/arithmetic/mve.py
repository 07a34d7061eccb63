"""Vector instructions of Cortex-M55 (MVE, Helium) that int8 products take, on arrays of vectors.

The last axis of an array holds the lanes of a vector of 16 bytes: up to 16 int8, or 4 int32.
A vector with fewer lanes is one whose other lanes are predicated off, as they are in the last
pass of a low-overhead loop. ``count`` notes how often each instruction ran: once per vector.

Facts: Arm Architecture Reference Manual for Armv8-M; CMSIS-NN
``Include/arm_nnsupportfunctions.h`` (``arm_requantize_mve``).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.libraries.cmsis_nn.arithmetic.dsp import Count, Register, register
from arenite.libraries.cmsis_nn.arithmetic.support import Int8Array
from arenite.numeric import fixedpoint as fp

#: int8 in a vector, and int32 in one.
BYTES, WORDS = 16, 4


# -- memory -----------------------------------------------------------------------------


def vldrb(source: Int8Array, start: int, count: Count) -> Int8Array:
    """VLDRB: up to 16 int8 from ``start`` on the last axis; none behind its end."""
    lanes = source[..., start : start + BYTES]
    _note("VLDRB", lanes.shape[:-1], count)
    return lanes


def arm_memcpy_s8(calls: int, size: int, count: Count) -> None:
    """Count ``calls`` copies of ``size`` bytes: a VLDRB and a VSTRB per 16."""
    _note("VLDRB", (calls, -(-size // BYTES)), count)
    _note("VSTRB", (calls, -(-size // BYTES)), count)


def arm_memset_s8(calls: int, size: int, count: Count) -> None:
    """Count ``calls`` fills of ``size`` bytes: a VSTRB per 16."""
    _note("VSTRB", (calls, -(-size // BYTES)), count)


# -- sums -------------------------------------------------------------------------------


def vaddva(acc: Register, x: Int8Array, count: Count) -> Register:
    """VADDVA: the sum of all lanes, added to ``acc``."""
    total = register(acc + x.sum(axis=-1, dtype=np.int64))
    _note("VADDVA", total.shape, count)
    return total


def vmladava(acc: Register, x: Int8Array, y: Int8Array, count: Count) -> Register:
    """VMLADAVA: the products of all lanes, added to ``acc``.

    >>> from collections import Counter
    >>> x, y = np.array([1, 2, 3], np.int8), np.array([4, 5, 6], np.int8)
    >>> vmladava(np.int32(100), x, y, Counter()) == 100 + 4 + 10 + 18
    np.True_
    """
    products = np.multiply(x, y, dtype=np.int32)
    total = register(acc + products.sum(axis=-1, dtype=np.int64))
    _note("VMLADAVA", total.shape, count)
    return total


# -- requantisation ---------------------------------------------------------------------


def vshl(x: npt.ArrayLike, bits: npt.ArrayLike) -> Register:
    """VSHL: shifted left."""
    return register(fp.wrap_int32(np.asarray(x, np.int64) << np.asarray(bits, np.int64)))


def vqrdmulh(x: npt.ArrayLike, y: npt.ArrayLike, count: Count) -> Register:
    """VQRDMULH: the high 32 bits of ``2 * x * y``, rounded to nearest, saturated."""
    product = np.asarray(x, np.int64) * np.asarray(y, np.int64)
    high = np.minimum(product + (1 << 30) >> 31, np.iinfo(np.int32).max)
    _note("VQRDMULH", high.shape[:-1], count)
    return register(high)


def vrshl(x: npt.ArrayLike, bits: npt.ArrayLike) -> Register:
    """VRSHL by ``-bits``: shifted right, halves rounded up."""
    bits = np.asarray(bits, np.int64)
    return register(np.asarray(x, np.int64) + (1 << bits >> 1) >> bits)


def arm_divide_by_power_of_two_mve(dividend: Register, exponent: npt.ArrayLike) -> Register:
    """Halves away from zero: VAND and VSHR find the negative ones, VQADD makes them one less."""
    fixup = (dividend & -np.asarray(exponent, np.int32)) >> 31
    fixed = np.maximum(dividend + fixup.astype(np.int64), np.iinfo(np.int32).min)
    return vrshl(fixed, exponent)


def arm_requantize_mve(
    val: Register, multiplier: npt.ArrayLike, shift: npt.ArrayLike, count: Count
) -> Register:
    """``arm_requantize_mve``: ``arm_nn_requantize`` on vectors of four sums ``(..., 4)``.

    ``multiplier`` and ``shift`` are one for a vector, or, as in ``arm_requantize_mve_32x4``,
    one per lane. Where they ask for one rounding, a VQDMULH cuts off what the VRSHL behind it
    does not look at.
    """
    shift = np.asarray(shift, np.int64)
    if fp.rounds_once(shift):
        _note("VQDMULH", np.shape(val)[:-1], count)
        return register(fp.multiply_by_quantized_multiplier(val, multiplier, shift))
    high = vqrdmulh(vshl(val, np.maximum(shift, 0)), multiplier, count)
    return arm_divide_by_power_of_two_mve(high, np.maximum(-shift, 0))


def _note(name: str, shape: tuple[int, ...], count: Count) -> None:
    vectors = int(np.prod(shape))
    if vectors:  # a Counter would keep the name of what never ran
        count[name] += vectors
