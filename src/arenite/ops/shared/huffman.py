"""Huffman codes for TFLM_DECODE: how long each code word is, and the tables that decode them.

Code words are of limited length, and as short together as such ones can be (package-merge: Larmore
and Hirschberg, 1990). Tables look up some bits at once; code words that are longer go on in a table
of their own. Facts: TFLM ``micro/kernels/decode_state_huffman.{h,cc}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from arenite.ops.context import Array

#: A table looks up this many bits at most: an entry says in four how many belong to its symbol.
MOST_BITS = 12
#: The lengths that are tried as the longest of all code words.
_LIMITS = range(8, 16)
#: Bytes that a larger first table may cost, which needs fewer steps.
_FOR_SPEED = 128


class Entries(NamedTuple):
    """The layout of a table's entry: its bytes, where the count is, and the largest value."""

    size: int
    count_shift: int
    value_mask: int


NARROW, WIDE = Entries(2, 11, 0x07FF), Entries(4, 27, 0x07FFFFFF)


class Huffman(NamedTuple):
    """Codes of some symbols.

    Attributes:
        first: Bits that the first table looks up.
        longest: Bits that any table looks up at most.
        tables: Their bytes.
        codes: Code word and its length, by symbol.
    """

    first: int
    longest: int
    tables: bytes
    codes: dict[int, tuple[int, int]]

    def bits(self, counts: Mapping[int, int]) -> int:
        """The number of bits that ``counts`` of each symbol take."""
        return sum(count * self.codes[symbol][1] for symbol, count in counts.items())

    def encode(self, symbols: Array) -> bytes:
        """The code words one behind the other, in whole words of 32 bits.

        A decoder looks up more bits than belong to the last symbol: there are as many.
        """
        known, places = np.unique(symbols, return_inverse=True)
        words = np.array([self.codes[int(symbol)] for symbol in known], np.int64)
        codes, lengths = words[places.reshape(-1)].T
        ends = np.cumsum(lengths)
        total = int(ends[-1])
        owner = np.repeat(np.arange(len(lengths)), lengths)
        bits = codes[owner] >> (ends[owner] - 1 - np.arange(total)) & 1
        room = -(-(total + self.longest - 1) // 32) * 32
        return np.packbits(np.pad(bits.astype(np.uint8), (0, room - total))).tobytes()


def best(counts: Mapping[int, int], entries: Entries) -> Huffman | None:
    """The codes that take least with their tables; None where these are too large to address."""
    found = (_made(counts, limit, entries) for limit in _LIMITS if 2**limit >= len(counts))
    there = [one for one in found if one is not None]
    return min(there, key=lambda one: one.bits(counts) + 8 * len(one.tables), default=None)


def lengths(counts: Mapping[int, int], limit: int) -> dict[int, int]:
    """Bits of each symbol's code word, none of which has more than ``limit``.

    One symbol alone has one bit.
    """
    if len(counts) == 1:
        return dict.fromkeys(counts, 1)
    single = sorted((count, (symbol,)) for symbol, count in counts.items())
    packages: list[tuple[int, tuple[int, ...]]] = []
    for _ in range(limit):
        merged = sorted([*single, *packages])
        pairs = zip(merged[::2], merged[1::2], strict=False)
        packages = [(a + b, some + others) for (a, some), (b, others) in pairs]
    found = dict.fromkeys(counts, 0)
    for _, symbols in packages[: len(counts) - 1]:
        for symbol in symbols:
            found[symbol] += 1
    return found


def _made(counts: Mapping[int, int], limit: int, entries: Entries) -> Huffman | None:
    by_length = sorted((length, symbol) for symbol, length in lengths(counts, limit).items())
    codes, code, before = {}, 0, 0
    for length, symbol in by_length:
        code <<= length - before
        codes[symbol] = code, length
        code, before = code + 1, length
    group = tuple(length for length, _ in by_length)
    first = _first_bits(group)
    words: list[int] = []
    longest = _fill(words, [symbol for _, symbol in by_length], group, first, entries)
    if not longest:
        return None
    tables = np.array(words, f"<u{entries.size}").tobytes()
    return Huffman(first, longest, tables, codes)


def _first_bits(group: tuple[int, ...]) -> int:
    """The largest first table that costs little more than the smallest tables."""
    sizes = {bits: 2 * _size(group, bits) for bits in range(1, min(max(group), MOST_BITS) + 1)}
    least = min(sizes.values())
    return max(bits for bits, size in sizes.items() if size <= least + _FOR_SPEED)


@lru_cache(maxsize=4096)
def _size(group: tuple[int, ...], bits: int) -> int:
    """Entries of a table for code words of these lengths, and of those behind it."""
    behind = (rest for rest in _parts(group, bits) if len(rest[1]))
    return (1 << bits) + sum(_size(rest, _bits(rest)) for _, rest in behind)


@lru_cache(maxsize=4096)
def _bits(group: tuple[int, ...]) -> int:
    """Bits of the table for which all tables take least."""
    return min(range(1, min(max(group), MOST_BITS) + 1), key=lambda bits: _size(group, bits))


def _parts(group: Sequence[int], bits: int) -> list[tuple[int, tuple[int, ...]]]:
    """A table's entries in order: the length of a code word that ends there, or what is left.

    The first is 0 where code words go on, whose further lengths follow.
    """
    parts: list[tuple[int, tuple[int, ...]]] = []
    open_: list[int]
    open_, filled, most = [], 0, max(group)
    for length in group:
        if length <= bits:
            parts.append((length, ()))
            continue
        open_.append(length - bits)
        filled += 1 << (most - length)
        if filled == 1 << (most - bits):
            parts.append((0, tuple(open_)))
            open_, filled = [], 0
    return parts


def _fill(
    words: list[int], symbols: Sequence[int], group: tuple[int, ...], bits: int, entries: Entries
) -> int:
    """Append a table and those behind it; the most bits that one looks up, 0 if it cannot be."""
    begin, longest, taken = len(words), bits, 0
    found = 1 << (8 * entries.size - 1)
    rest: list[tuple[int, Sequence[int], tuple[int, ...]]] = []
    for length, more in _parts(group, bits):
        if more:
            rest.append((len(words), symbols[taken : taken + len(more)], more))
            words.append(0)
            taken += len(more)
            continue
        word = found | length << entries.count_shift | symbols[taken] & _symbol_mask(entries)
        words += [word] * (1 << (bits - length))
        taken += 1
    words += [words[-1]] * (begin + (1 << bits) - len(words))  # one symbol alone: any bit is its
    for at, those, more in rest:
        count, offset = _bits(more), len(words) - at
        if offset > entries.value_mask:
            return 0
        words[at] = (count - 1) << entries.count_shift | offset
        deepest = _fill(words, those, more, count, entries)
        if not deepest:
            return 0
        longest = max(longest, deepest)
    return longest


def _symbol_mask(entries: Entries) -> int:
    return 0xFF if entries is NARROW else 0xFFFF
