"""Weights out of their compressed streams.

A stream is slices, each with up to 32,768 weights. A weight is a Golomb-Rice code: a quotient in
unary, then some low bits. What it codes is an index into a palette of signed values, or beyond that
a value itself. Where zeros are many, their runs between weights are coded likewise, in between.
Quotients of twelve symbols come as one chunk of bits; a chunk's low bits come behind the next
chunk's quotients. A slice that ends a stream is followed by ones up to a byte's end; another stream
may follow.

So positions depend on counts of bits only, which one pass over the chunks finds; quotients, low
bits and values are then computed for all chunks of a slice at once.

Facts: the format that Vela's ``mlw_codec`` reads (Vela 5.2.0, ``ethosu/mlw_codec``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.npu.stream import StreamError

Int64 = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint8]
#: Of the zero runs' code: none are coded; the stream ends.
_NO_RUNS, _END = 6, 7
#: Of the weights' code: plain numbers.
_PLAIN = 7
#: Symbols of a chunk.
_CHUNK = 12
#: What the hardware's indices are below.
_INDICES = 512


class _Reader:
    """Bits of a stream, the lowest of a byte first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0
        self.end = 8 * len(data)

    def take(self, count: int) -> int:
        """The next ``count`` bits, at most 56, as a number.

        Raises:
            StreamError: There are fewer.
        """
        begin = self.position
        self.position = begin + count
        if self.position > self.end:
            raise StreamError(f"weights end in the middle of a slice, at bit {self.end}")
        first = begin >> 3
        word = int.from_bytes(self._data[first : first + 8], "little")
        return word >> (begin & 7) & ((1 << count) - 1)

    def skip(self, count: int) -> int:
        """Where the next ``count`` bits begin, behind which reading goes on."""
        begin = self.position
        self.position = begin + count
        if self.position > self.end:
            raise StreamError(f"weights end in the middle of a slice, at bit {self.end}")
        return begin


@dataclass(frozen=True)
class _Palette:
    """The meaning of indices: values, then numbers from ``offset`` on."""

    values: Int64
    offset: int
    bits: int

    def look_up(self, index: Int64) -> Int64:
        """Signed values: the lowest bit is the sign."""
        count = len(self.values)
        found = index - count + self.offset
        if count:
            found = np.where(index < count, self.values[np.minimum(index, count - 1)], found)
        return np.where(found & 1, -(found >> 1), found >> 1)


class _Slice(NamedTuple):
    """A slice's header.

    Attributes:
        weights: How many it has.
        runs: How many runs of zeros; 0 where none are coded.
        run_bits: Low bits of a run's code.
        weight_bits: Of a weight's code.
        is_plain: Weights have no quotients.
        is_truncated: Quotients are at most 2, and every code ends a symbol.
        begins_with_run: There is a run before the first weight.
    """

    weights: int
    runs: int
    run_bits: int
    weight_bits: int
    is_plain: bool
    is_truncated: bool
    begins_with_run: bool


@dataclass
class _Chunks:
    """The result of one pass over a slice's chunks: bits of quotients, places of low bits."""

    unary: list[int]
    second: list[int]
    runs: list[int]
    weight_places: list[tuple[int, int]]
    run_places: list[tuple[int, int]]


def decode(data: bytes, count: int) -> Int64:
    """All weights of a stream.

    Args:
        data: The stream.
        count: How many there have to be, what is fed for padding included.

    Raises:
        StreamError: The stream is damaged, or has another number of weights.
    """
    reader, bits = _Reader(data), np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    parts: list[Int64] = []
    palette: _Palette | None = None
    total = 0
    while (run_code := _next_slice(reader)) is not None:
        code, is_first = run_code
        header, palette = _header(reader, code, None if is_first else palette)
        chunks = _walk(reader, header)
        values = palette.look_up(_weights(bits, header, chunks))
        part = _with_runs(values, bits, header, chunks)
        total += len(part)
        if total > count:
            raise StreamError(f"expected {count} weights in a stream, got {total} or more")
        parts.append(part)
    if total < count:
        raise StreamError(f"expected {count} weights in a stream, got {total}")
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _next_slice(reader: _Reader) -> tuple[int, bool] | None:
    """The code of zero runs that a slice begins with, and whether a stream begins there."""
    is_first = reader.position == 0
    while reader.position < reader.end:
        code = reader.take(3)
        if code != _END:
            return code, is_first
        reader.skip(-reader.position & 7)
        is_first = True
    return None


def _header(reader: _Reader, code: int, palette: _Palette | None) -> tuple[_Slice, _Palette]:
    """A slice's header, and its palette: the last one's where it brings none."""
    if code in (4, 5):
        raise StreamError(f"expected a code of zero runs of 0 to 3, 6 or 7, got {code}")
    weights = reader.take(15) + 1
    division, is_truncated, is_new = reader.take(3), bool(reader.take(1)), bool(reader.take(1))
    if is_new:
        palette = _palette(reader)
    if palette is None:
        raise StreamError("expected a palette in a stream's first slice, got none")
    bits = division
    if division == _PLAIN:
        size = len(palette.values)
        bits = (size - 1).bit_length() if size else palette.bits
    elif division > 5:
        raise StreamError(f"expected a code of weights of 0 to 5 or 7, got {division}")
    has_runs = code != _NO_RUNS
    runs = weights + is_new if has_runs else 0
    is_plain = division == _PLAIN
    return _Slice(weights, runs, code, bits, is_plain, is_truncated, is_new and has_runs), palette


def _palette(reader: _Reader) -> _Palette:
    offset, size = reader.take(5), reader.take(5)
    size += size > 0
    bits = reader.take(3) + 2
    values = [reader.take(bits) for _ in range(size)]
    return _Palette(np.array(values, np.int64), offset, bits)


def _walk(reader: _Reader, header: _Slice) -> _Chunks:
    """Find all chunks of a slice: weights and runs take turns, the one behind goes first."""
    found = _Chunks([], [], [], [], [])
    weights, runs = header.weights, header.runs
    run_width = 12 if header.run_bits < 3 else 8
    symbols = 8 if header.is_plain and header.weight_bits > 5 else _CHUNK
    weight_count = run_count = weights_read = runs_read = 0
    last_weights = last_runs = -1  # how many symbols of the last chunk wait for low bits
    while True:
        ahead = weight_count - run_count if runs else 0
        new_weights = weight_count < weights and ahead < 8
        new_runs = run_count < runs and ahead >= 0
        next_weights = next_runs = -1
        unary = 0
        if new_weights:
            unary = 0 if header.is_plain else reader.take(_CHUNK)
        if new_runs:
            bits = reader.take(run_width)
            found.runs.append(bits)
            next_runs = run_width - bits.bit_count()
            run_count += next_runs
        if new_weights:
            second = reader.take(unary.bit_count())
            found.unary.append(unary)
            found.second.append(second)
            next_weights = symbols - (0 if header.is_truncated else second.bit_count())
            weight_count += next_weights
        if last_weights > 0:
            count = min(last_weights, weights - weights_read)
            found.weight_places.append((reader.skip(count * header.weight_bits), count))
            weights_read += count
        if last_runs > 0:
            count = min(last_runs, runs - runs_read)
            found.run_places.append((reader.skip(count * header.run_bits), count))
            runs_read += count
        if not new_weights and not new_runs:
            return found
        last_weights, last_runs = next_weights, next_runs


def _weights(bits: Bits, header: _Slice, chunks: _Chunks) -> Int64:
    """Indices of a slice's weights."""
    low = _low_bits(bits, chunks.weight_places, header.weight_bits)
    if header.is_plain:
        index = low
    else:
        first = _rows(chunks.unary, _CHUNK)
        which = np.maximum(np.cumsum(first, axis=1) - 1, 0)
        second = np.take_along_axis(_rows(chunks.second, _CHUNK), which, axis=1)
        codes = (first + (first & second)).reshape(-1)
        ends = np.ones(len(codes), bool) if header.is_truncated else codes < 2
        quotients = _between(codes, ends)[: header.weights]
        index = (quotients << header.weight_bits) + low
    if index.size and int(index.max()) >= _INDICES:
        raise StreamError(f"expected indices of weights below {_INDICES}, got {int(index.max())}")
    return index


def _with_runs(values: Int64, bits: Bits, header: _Slice, chunks: _Chunks) -> Int64:
    """Weights with the zeros between them."""
    if not header.runs:
        return values
    width = 12 if header.run_bits < 3 else 8
    unary = _rows(chunks.runs, width).reshape(-1)
    quotients = _between(unary, unary == 0)[: header.runs]
    zeros = (quotients << header.run_bits) + _low_bits(bits, chunks.run_places, header.run_bits)
    begin = int(zeros[0]) if header.begins_with_run else 0
    behind = zeros[1:] if header.begins_with_run else zeros
    places = begin + np.concatenate([[0], np.cumsum(behind[:-1] + 1)])
    out = np.zeros(begin + len(values) + int(behind.sum()), np.int64)
    out[places] = values
    return out


def _rows(numbers: list[int], width: int) -> Int64:
    """The lowest bits of numbers, a row each."""
    column = np.array(numbers, np.int64).reshape(-1, 1)
    return column >> np.arange(width) & 1


def _between(codes: Int64, ends: npt.NDArray[np.bool_]) -> Int64:
    """Sums of codes up to each end, from behind the last one."""
    sums = np.cumsum(codes)[ends]
    return np.diff(sums, prepend=0)


def _low_bits(bits: Bits, places: list[tuple[int, int]], width: int) -> Int64:
    """Numbers of ``width`` bits that lie in rows at places, one behind the other."""
    if not places:
        return np.zeros(0, np.int64)
    begins, counts = np.array(places, np.int64).T
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    start = np.repeat(begins, counts) + number * width
    out = np.zeros(len(start), np.int64)
    for bit in range(width):
        out |= bits[start + bit].astype(np.int64) << bit
    return out
