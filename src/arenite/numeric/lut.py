"""Functions of quantised values as lookup tables.

Source of the facts: TensorFlow Lite Micro ``kernels/internal/common.h`` (``LUTPopulate``,
``LUTLookup``, the sigmoid table) and ``reference/integer_ops/{logistic,tanh}.h``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from arenite.numeric.fixedpoint import Array, Int64Array, wrap_int32

INT16_STEPS = 512

#: All int8 values in the order of their bytes: 0 .. 127, -128 .. -1.
INT8_VALUES: Int64Array = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.int64)


def no_table() -> npt.NDArray[np.int8]:
    """The table of a kernel that needs none."""
    return np.zeros(0, np.int8)


def table_int8(function: Callable[[Int64Array], Int64Array]) -> npt.NDArray[np.int8]:
    """A function of int8 values as a table of 256 int8 results, indexed by the byte."""
    return function(INT8_VALUES).astype(np.int8)


def take_int8(table: npt.NDArray[np.int8], x: Array, out: Array) -> None:
    """``out = function(x)`` for int8 arrays, from :func:`table_int8`."""
    np.take(table, x.view(np.uint8), out=out, mode="clip")


def pair_table_int8(
    function: Callable[[Int64Array, Int64Array], Int64Array],
) -> npt.NDArray[np.int8]:
    """A function of two int8 values as a table of 65536 int8 results."""
    return function(INT8_VALUES[:, None], INT8_VALUES).astype(np.int8).reshape(-1)


def take_pairs_int8(table: npt.NDArray[np.int8], a: Array, b: Array, out: Array) -> None:
    """``out = function(a, b)`` for int8 arrays that broadcast, from :func:`pair_table_int8`."""
    index = np.left_shift(a.view(np.uint8), 8, dtype=np.uint16) | b.view(np.uint8)
    np.take(table, index, out=out, mode="clip")


def populate_int16(
    input_scale: float, input_zero_point: int, scale: float, function: Callable[[Array], Array]
) -> npt.NDArray[np.int16]:
    """A table of 513 int16 values that :func:`lookup_int16` interpolates.

    All arithmetic is float32. An entry is off its exact value by half of the error that
    interpolation makes in the middle of its step. ``function`` takes and gives float32;
    the output's zero point is 0.
    """
    f = np.float32
    low = f(input_scale) * f(-32768 - input_zero_point)
    high = f(input_scale) * f(32767 - input_zero_point)
    step = (high - low) / f(INT16_STEPS)
    inverse = f(65536) / (f(scale) * f(32767) - f(scale) * f(-32768))
    start = low + np.arange(INT16_STEPS, dtype=f) * step
    end = low + np.arange(1, INT16_STEPS + 1, dtype=f) * step

    sample = _round(function(start) * inverse)
    interpolated = _round((function(end) * inverse + sample) / f(2))
    error = interpolated - _round(function(start + step / f(2)) * inverse)
    last = _round(function(np.array([high])) * inverse)
    table = np.concatenate([sample - _round(error / f(2)), last])
    values: npt.NDArray[np.int16] = np.clip(table, f(-32768), f(32767)).astype(np.int16)
    return values


def lookup_int16(table: npt.NDArray[np.int16], x: npt.ArrayLike) -> Int64Array:
    """Interpolated values of int16 ``x`` in a table of 513 entries."""
    x = np.asarray(x, np.int64)
    index = 256 + (x >> 7)
    wide = table.astype(np.int64)
    base = wide[index]
    value: Int64Array = base + (((wide[index + 1] - base) * (x & 0x7F) + 64) >> 7)
    return value


@cache
def sigmoid_table() -> Int64Array:
    """``65536 * sigmoid(i / 24)``, corrected like :func:`populate_int16`, 256 entries."""

    def sigmoid(i: Array) -> Array:
        exact: Array = 65536 / (1 + np.exp(-i / 24))
        return exact

    i = np.arange(256.0)
    error = sigmoid(i + 0.5) - (sigmoid(i) + sigmoid(i + 1)) / 2
    table = np.floor(sigmoid(i) + error / 2 + 0.5).astype(np.int64)
    table[-1] = 65535
    table.flags.writeable = False
    return table


def logistic_int16(x: Array, multiplier: int, shift: int) -> Int64Array:
    """Logistic of int16 values; results are in units of ``2**-15``.

    ``multiplier * 2**-shift`` scales ``x`` to units of ``1 / (3 * 4096)``; multiplier 0
    stands for ``3 * 2**shift`` (input scales that are powers of two).
    """
    scaled = _scale(x, multiplier, shift)
    # Nine fraction bits: one step of the table, 1/24, is 2**9 / (3 * 4096).
    value = _interpolate(np.abs(scaled), 9, 0x7FFF << 10)
    mirrored = np.where(scaled >= 0, value + (1 << 9), (1 << 25) - value + (1 << 9) - 1)
    return mirrored >> 10


def tanh_int16(x: Array, multiplier: int, shift: int) -> Int64Array:
    """Tanh of int16 values, as ``2 * sigmoid(2 * x) - 1``; see :func:`logistic_int16`."""
    scaled = _scale(x, multiplier, shift)
    value = _interpolate(np.abs(scaled), 8, 0xFFFF << 8) - (1 << 23)
    mirrored = np.where(scaled >= 0, value + (1 << 7), -value + (1 << 7) - 1)
    return mirrored >> 8


def _scale(x: Array, multiplier: int, shift: int) -> Int64Array:
    if multiplier == 0:
        multiplier, shift = 3 << shift, 0
    rounding = 1 << (shift - 1) if shift > 0 else 0
    return wrap_int32(x.astype(np.int64) * multiplier + rounding) >> shift


def _interpolate(magnitude: Int64Array, fraction_bits: int, saturated: int) -> Int64Array:
    table = sigmoid_table()
    index = np.minimum(magnitude >> fraction_bits, 254)
    base = table[index]
    fraction = magnitude & ((1 << fraction_bits) - 1)
    value = (base << fraction_bits) + fraction * (table[index + 1] - base)
    return np.where(magnitude >> fraction_bits >= 255, saturated, value)


def _round(x: Array) -> Array:
    """Round to nearest, halves away from zero, in the precision of ``x``."""
    magnitude = np.abs(x)
    whole = np.floor(magnitude)
    rounded: Array = np.copysign(whole + (magnitude - whole >= 0.5), x)
    return rounded
