"""Ways of TFLM_DECODE with its three kinds of codes: tables, masks, Huffman's.

All of it is arithmetic on constants. Facts: TFLM ``micro/kernels/decode_state.h``,
``decode_state_lut.cc``, ``decode_state_prune.cc`` and ``decode_state_huffman.{h,cc}``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.model.types import BOOL, FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops.context import Array, Context, TfLiteTensor

Bytes = npt.NDArray[np.uint8]

#: Bytes before the tables: the common metadata (``kDcmSizeInBytes``).
HEADER = 16
#: What tables and masks are decoded to, with the type whose bits are copied.
COPIED = {
    BOOL: np.uint8,
    INT8: np.int8,
    INT16: np.int16,
    INT32: np.int32,
    FLOAT32: np.int32,
    INT64: np.int64,
}


class Channels(NamedTuple):
    """The number of tables or zero points of an output, and whether they alternate by element."""

    number: int
    alternate: bool
    zero_points: tuple[int, ...]


def channels_of(context: Context, output: TfLiteTensor) -> Channels:
    """Channels by the output's quantisation: along its first dimension, or its last."""
    quantization = output.quantization
    if quantization is None or not len(quantization.scale) or not len(quantization.zero_point):
        return Channels(1, False, (0,))
    count, axis = len(quantization.scale), quantization.quantized_dimension
    alternate = count > 1 and axis == len(output.shape) - 1
    if not alternate and axis != 0:
        context.report_error(
            f"output {output.name!r}: expected a quantised dimension of 0, or the last one with "
            f"several scales, got {axis}"
        )
    if alternate and output.size % count:
        context.report_error(
            f"output {output.name!r}: {output.size} elements are no multiple of {count} channels"
        )
    zero_points = np.resize(quantization.zero_point, count).tolist()
    return Channels(count, alternate, tuple(zero_points))


def written(channels: Channels, size: int) -> int:
    """The number of some elements that are written: no part of what all channels get alike."""
    return size if channels.alternate else size // channels.number * channels.number


def channel_numbers(channels: Channels, size: int) -> Array:
    """The channel of every element that is written."""
    if channels.alternate:
        return np.arange(size) % channels.number
    return np.arange(channels.number).repeat(size // channels.number)


def typed(context: Context, output: TfLiteTensor, data: Bytes) -> Array:
    """Bytes behind the header as elements of the output's type."""
    if output.type not in COPIED:
        known = ", ".join(str(type_) for type_ in COPIED)
        context.report_error(f"output {output.name!r} is one of: {known}; got {output.type}")
    dtype = np.dtype(COPIED[output.type])
    values = data[HEADER:]
    return values[: len(values) // dtype.itemsize * dtype.itemsize].view(dtype)


def look_up(context: Context, codes: Bytes, data: Bytes, output: TfLiteTensor) -> Array:
    """Indices of some bits each, the highest bit first, into a table per channel."""
    channels, table = channels_of(context, output), typed(context, output, data)
    width, stride = int(data[5]) & 7, int(data[6])
    if not width:
        context.report_error("expected indices of 1 to 7 bits, got 0")
    size = written(channels, output.size)
    bits = take_bits(context, codes, width * size).reshape(-1, width)
    numbers = channel_numbers(channels, size)
    indices = bits @ (1 << np.arange(width)[::-1]) + numbers * stride
    if indices.max(initial=-1) >= len(table):
        context.report_error(
            f"index {indices.max()} is beyond the {len(table)} values of the tables"
        )
    return fill(output, table[indices])


def unprune(context: Context, codes: Bytes, data: Bytes, output: TfLiteTensor) -> Array:
    """A bit per element: the next value, or the zero point."""
    channels, values = channels_of(context, output), typed(context, output, data)
    zero_points = np.array(channels.zero_points, np.int64)
    if output.type is not INT8 and zero_points.any():
        context.report_error(f"output {output.name!r}: expected zero points of 0")
    by_channel = has_zero_points(channels)
    size = written(channels, output.size) if by_channel else output.size
    mask = take_bits(context, codes, size).astype(bool)
    numbers = channel_numbers(channels, size) if by_channel else np.zeros(size, np.int64)
    count = int(mask.sum())
    if count > len(values):
        context.report_error(f"expected {count} values for as many bits, got {len(values)}")
    result = zero_points.astype(np.int8)[numbers].astype(values.dtype)
    result[mask] = values[:count]
    return fill(output, result)


def has_zero_points(channels: Channels) -> bool:
    """Whether TFLM keeps a zero point per channel, in memory of its own."""
    return channels.number > 1 and any(channels.zero_points)


def take_bits(context: Context, codes: Bytes, count: int) -> Array:
    """The first bits of some bytes, the highest bit of each first."""
    if count > 8 * len(codes):
        context.report_error(f"expected at least {count} bits of codes, got {8 * len(codes)}")
    return np.unpackbits(codes, count=count)


def fill(output: TfLiteTensor, values: Array) -> Array:
    """Values for all elements; 0 for those that no channel has."""
    result = np.zeros(output.size, values.dtype)
    result[: len(values)] = values
    return result


# -- Huffman --------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """The meaning of the bits of a table's entry."""

    bits: int
    count_shift: int
    value_mask: int


#: Symbols of outputs of up to so many elements are kept.
_KEPT = 1 << 20
_NARROW, _WIDE = Entry(16, 11, 0x07FF), Entry(32, 27, 0x07FFFFFF)


def unhuffman(context: Context, codes: Bytes, data: Bytes, output: TfLiteTensor) -> Array:
    """Code words of any length, through tables of a few bits each.

    An entry holds a symbol and how many of the bits that were looked up belong to it; or how many
    come next, less 1, and where their table is, relative to this entry.
    """
    is_wide, first = bool(data[5] & 1), (int(data[5]) >> 4) + 1
    if output.type is not INT8 and not (is_wide and output.type is INT16):
        known = "int8 or int16" if is_wide else "int8"
        context.report_error(f"output {output.name!r} is {known} here; got {output.type}")
    entry = _WIDE if is_wide else _NARROW
    decode = _symbols if output.size <= _KEPT else _symbols.__wrapped__
    try:
        symbols = decode(codes.tobytes(), data[HEADER:].tobytes(), entry, first, output.size)
    except _CodesError as error:
        context.report_error(str(error))
    return symbols.astype(output.type.dtype)


class _CodesError(Exception):
    """Codes end too early, or tables do."""


@lru_cache(maxsize=32)
def _symbols(codes: bytes, data: bytes, entry: Entry, first: int, wanted: int) -> Array:
    """As many symbols as wanted. A model is prepared often: the last ones are kept."""
    size = entry.bits // 8
    words = np.frombuffer(data[: len(data) // size * size], f"<u{size}").tolist()
    stream, end, place = codes + bytes(8), 8 * len(codes), 0
    found = 1 << (entry.bits - 1)
    symbols: list[int] = []
    while len(symbols) < wanted:
        start, count, at = place, first, 0
        while True:
            window = int.from_bytes(stream[place >> 3 : (place >> 3) + 4], "big")
            at += window >> (32 - count - (place & 7)) & ((1 << count) - 1)
            if at >= len(words):
                raise _CodesError(f"entry {at} is beyond the {len(words)} of the tables")
            word, place = words[at], place + count
            belonging = word >> entry.count_shift & 15
            if word & found:
                break
            if place > end:
                raise _CodesError(f"the {end} bits end within symbol {len(symbols)}")
            count = belonging + 1
            at += word & entry.value_mask
        place -= max(count - belonging, 0)
        if place > end:
            raise _CodesError(f"the {end} bits end within symbol {len(symbols)}")
        symbols.append(word)
        if place == start:  # and so are all that come
            symbols += [word] * (wanted - len(symbols))
    return np.array(symbols, np.int64).astype(np.int8 if size == 2 else np.int16)
