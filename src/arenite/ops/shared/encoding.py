"""Encode constants for TFLM_DECODE: as tables of values, as masks, as Huffman codes.

The formats are those of :mod:`arenite.ops.shared.decoding`, and so are the facts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from arenite.model import Tensor
from arenite.model.types import INT8, INT16
from arenite.ops.context import Array
from arenite.ops.shared import huffman
from arenite.ops.shared.decoding import COPIED, HEADER

LUT, HUFFMAN, PRUNE = range(3)
#: An index has at most so many bits.
_MOST_INDEX_BITS = 7
#: Types that have Huffman codes, with their entries.
_CODED = {INT8: huffman.NARROW, INT16: huffman.WIDE}


class Codes(NamedTuple):
    """One of the two inputs for an output, and the other: what it means."""

    kind: int
    codes: bytes
    meaning: bytes

    @property
    def size(self) -> int:
        """Bytes of both."""
        return len(self.codes) + len(self.meaning)


def looked_up(tensor: Tensor) -> Codes | None:
    """Indices into a table of its values, of every channel; None where there are too many."""
    values, channels = _bits_of(tensor), _channels(tensor)
    if values is None or channels is None:
        return None
    count, alternate = channels
    rows = values.reshape(-1, count).T if alternate else values.reshape(count, -1)
    tables = [np.unique(row) for row in rows]
    stride = max(map(len, tables))
    width = max(1, int(stride - 1).bit_length())
    if width > _MOST_INDEX_BITS:
        return None
    indices = np.array([np.searchsorted(t, r) for t, r in zip(tables, rows, strict=True)])
    flat = (indices.T if alternate else indices).reshape(-1)
    bits = (flat[:, None] >> np.arange(width)[::-1]) & 1
    padded = b"".join(np.resize(table, stride).tobytes() for table in tables)
    codes = np.packbits(bits.astype(np.uint8)).tobytes()
    return Codes(LUT, codes, _header(LUT, width, stride) + padded)


def masked(tensor: Tensor) -> Codes | None:
    """A bit for every element, and those that are not 0; None where 0 has another meaning."""
    values = _bits_of(tensor)
    q = tensor.quantization
    if values is None or _channels(tensor) is None or (q is not None and np.any(q.zero_point)):
        return None
    is_there = values.reshape(-1) != 0
    codes = np.packbits(is_there).tobytes()
    return Codes(PRUNE, codes, _header(PRUNE) + values.reshape(-1)[is_there].tobytes())


def counts_of(tensor: Tensor) -> dict[int, int] | None:
    """Counts of all values that are there; None where the type has no Huffman codes."""
    value = tensor.value
    if value is None or tensor.type not in _CODED or not value.size:
        return None
    values, counts = np.unique(value, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def coded(tensors: Iterable[Tensor], counts: dict[int, int]) -> list[Codes] | None:
    """Huffman's codes, the same for several tensors of a type; ``counts`` are those of all.

    None where there are no tables for them.
    """
    every = list(tensors)
    entries = _CODED[every[0].type]
    found = huffman.best(counts, entries)
    if found is None:
        return None
    meaning = _header(HUFFMAN, (found.first - 1) << 4 | (entries is huffman.WIDE)) + found.tables
    return [Codes(HUFFMAN, found.encode(_value(one)), meaning) for one in every]


def _value(tensor: Tensor) -> Array:
    assert tensor.value is not None
    return tensor.value.reshape(-1)


def _header(kind: int, *own: int) -> bytes:
    return bytes([kind, 1, 0, 0, 1, *own]).ljust(HEADER, b"\0")


def _bits_of(tensor: Tensor) -> Array | None:
    """The elements as what is copied; None where the type is not, or there are none."""
    if tensor.value is None or tensor.type not in COPIED or not tensor.value.size:
        return None
    return tensor.value.reshape(-1).view(COPIED[tensor.type])


def _channels(tensor: Tensor) -> tuple[int, bool] | None:
    """Their number, and whether they alternate by element; None where TFLM refuses them."""
    q = tensor.quantization
    if q is None or not len(q.scale) or not len(q.zero_point):
        return 1, False
    count, axis = len(q.scale), q.quantized_dimension
    alternate = count > 1 and axis == len(tensor.shape) - 1
    if (not alternate and axis) or tensor.size % count:
        return None
    return count, alternate
