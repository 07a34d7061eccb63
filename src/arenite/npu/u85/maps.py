"""U85's inputs and outputs: maps in memory, turned ones, what operations hand on, and numbers.

An operation hands its output on to one behind it in a buffer inside the NPU (a chain). Here such a
buffer is a region of its own, whose elements lie in a row. An output may be turned on its way to
memory: its size is that before, its tiles and steps are those behind.

Facts: Vela 5.2.0 regor ``ethos_u85_interface.hpp`` (``activation_storage``,
``activation_transpose``, ``activation_reverse``), ``ethos_u85_register_cs_generator.cpp``
(``GenerateIFM``, ``GenerateOFM``, ``ClearChainingRegisters``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from arenite.npu import layers
from arenite.npu.feature_map import INSIDE, FeatureMap, Piece, Shape, feature_map, type_of
from arenite.npu.registers import Registers
from arenite.npu.stream import StreamError

Axes = tuple[int, int, int]
#: Elements that an operation hands on.
MAX_CHAIN = 1 << 24
#: The region of sums that the next operation goes on from.
SUMS = 2 * INSIDE
#: Of ACC_FORMAT: sums go on from the operation before, or from the second input; they are kept.
_KEPT, _SECOND, _KEEPS = 1, 2, 1 << 6
#: Where elements lie: bits of a precision register.
_MEMORY, _CHAIN, _NONE = 0, 2, 3
#: By what OFM_PRECISION says: which axis of the output each axis in memory is.
_TURNS: dict[int, Axes] = {
    **{0: (0, 1, 2), 1: (1, 0, 2), 2: (0, 2, 1), 3: (1, 2, 0), 6: (2, 0, 1), 7: (2, 1, 0)},
}


class Reading(layers.Reading, Protocol):
    """The state of reading a stream of U85: chains by their region as well."""

    chains: dict[int, FeatureMap]


def storage(registers: Registers, which: str) -> int:
    """Where the elements of a map lie."""
    return registers.short(f"{which}_PRECISION") >> 14


def is_number(registers: Registers, which: str) -> bool:
    """Whether an input is a number."""
    return storage(registers, which) == _NONE


def number(registers: Registers, which: str) -> int:
    """A number without its zero point."""
    dtype = type_of(registers, which)
    value = registers.long("OP_SCALAR")[1] & (1 << 8 * dtype.itemsize) - 1
    is_negative = dtype.kind == "i" and value >> 8 * dtype.itemsize - 1
    return value - (1 << 8 * dtype.itemsize if is_negative else 0) - zero_point(registers, which)


def zero_point(registers: Registers, which: str) -> int:
    """The value that stands for 0."""
    name = f"{which}_ZERO_POINT"
    is_signed = registers.short(f"{which}_PRECISION") & 1
    return registers.signed(name) if is_signed else registers.short(name)


def input_map(reading: Reading, which: str, shape: Shape) -> FeatureMap:
    """An input, ``"IFM"`` or ``"IFM2"``, out of memory or out of a chain."""
    registers = reading.registers
    kind = storage(registers, which)
    if kind == _MEMORY:
        return feature_map(registers, which, shape, reading.sizes)
    if kind != _CHAIN:
        raise StreamError(f"{which}: expected elements in memory or of a chain, got storage {kind}")
    chain = registers.short(f"{which}_REGION") & 7
    found, dtype = reading.chains.get(INSIDE + chain), type_of(registers, which)
    if found is None:
        raise StreamError(f"{which}: nothing was handed on in chain {chain}")
    if (found.shape, found.dtype) != (shape, dtype):
        raise StreamError(
            f"{which}: expected {_text(found)} of chain {chain}, got {dtype} "
            f"{'x'.join(map(str, shape))}"
        )
    return replace(found, zero_point=zero_point(registers, which))


def sums_before(reading: Reading, shape: Shape) -> FeatureMap | None:
    """Sums that an operation goes on from: those of the one before it, or an input's."""
    registers = reading.registers
    kind = registers.short("ACC_FORMAT") >> 4 & 3
    if kind == _KEPT:
        found = reading.chains.get(SUMS)
        if found is None or found.shape != shape:
            raise StreamError(
                f"expected sums of {'x'.join(map(str, shape))} of the operation before to go on "
                f"from, got {'none' if found is None else _text(found)}"
            )
        return found
    if kind > _SECOND:
        raise StreamError(f"expected sums from 0 to {_SECOND}, got {kind}")
    return input_map(reading, "IFM2", shape) if kind else None


def kept_sums(reading: Reading, shape: Shape) -> FeatureMap | None:
    """Where sums stay for the next operation; None where there is an output."""
    if not reading.registers.short("ACC_FORMAT") & _KEEPS:
        return None
    found = inside(SUMS, shape, np.dtype(np.int64), 0)
    reading.sizes[SUMS] = max(reading.sizes.get(SUMS, 0), found.size * found.dtype.itemsize)
    reading.chains[SUMS] = found
    return found


def output_map(reading: Reading, shape: Shape) -> FeatureMap:
    """The output, in memory or handed on; ``shape`` is that before it is turned."""
    registers = reading.registers
    kind = storage(registers, "OFM")
    precision = registers.short("OFM_PRECISION")
    turn, flip = precision >> 11 & 7, precision >> 9 & 3
    if kind == _MEMORY:
        return _turned(reading, shape, turn, flip)
    if kind != _CHAIN:
        raise StreamError(f"OFM: expected a place in memory or a chain, got storage {kind}")
    if turn or flip:
        raise StreamError("OFM: expected elements as they are in a chain, got them turned")
    region = INSIDE + (registers.short("OFM_REGION") & 7)
    dtype = type_of(registers, "OFM")
    found = inside(region, shape, dtype, zero_point(registers, "OFM"))
    reading.sizes[region] = max(reading.sizes.get(region, 0), found.size * dtype.itemsize)
    reading.chains[region] = found
    return found


def inside(region: int, shape: Shape, dtype: np.dtype[Any], zero: int) -> FeatureMap:
    """A map whose elements lie in a row inside the NPU."""
    height, width, depth = shape
    if height * width * depth > MAX_CHAIN:
        raise StreamError(
            f"OFM: expected at most {MAX_CHAIN} elements in a chain, got {height * width * depth}"
        )
    size = dtype.itemsize
    steps = width * depth * size, depth * size, 0, size
    row = Piece((0, height), (0, width), (0, depth), 0, (height, width, 1, depth), steps)
    return FeatureMap(region, dtype, shape, zero, (row,))


def _text(one: FeatureMap) -> str:
    return f"{one.dtype} {'x'.join(map(str, one.shape))}"


def _turned(reading: Reading, shape: Shape, turn: int, flip: int) -> FeatureMap:
    """A map in memory whose axes change places, or of which one runs backwards."""
    axes = _TURNS.get(turn)
    if axes is None:
        raise StreamError(f"OFM: expected a transposition of 0 to 3, 6 or 7, got {turn}")
    stored = shape[axes[0]], shape[axes[1]], shape[axes[2]]
    found = feature_map(reading.registers, "OFM", stored, reading.sizes)
    if not turn and not flip:
        return found
    pieces = (part for piece in found.pieces for part in _bricks(piece))
    if flip:
        pieces = (_backwards(piece, flip - 1, stored[flip - 1]) for piece in pieces)
    return replace(found, shape=shape, pieces=tuple(_turn(one, axes) for one in pieces), axes=axes)


def _bricks(piece: Piece) -> Iterator[Piece]:
    """A piece as pieces of a brick each."""
    rows, columns, count, size = piece.shape
    for brick in range(count):
        first = piece.channels[0] + brick * size
        offset, shape = piece.offset + brick * piece.strides[2], (rows, columns, 1, size)
        yield piece._replace(channels=(first, first + size), offset=offset, shape=shape)


def _backwards(piece: Piece, axis: int, count: int) -> Piece:
    """A piece of which an axis of ``count`` elements runs backwards."""
    spans = [piece.rows, piece.columns, piece.channels]
    strides = list(piece.strides)
    place = (0, 1, 3)[axis]
    begin, end = spans[axis]
    offset = piece.offset + (end - begin - 1) * strides[place]
    spans[axis], strides[place] = (count - end, count - begin), -strides[place]
    first, second, third, fourth = strides
    rows, columns, channels = spans
    return Piece(rows, columns, channels, offset, piece.shape, (first, second, third, fourth))


def _turn(piece: Piece, axes: Axes) -> Piece:
    """A piece of a brick at most, in the order before it was turned."""
    spans = piece.rows, piece.columns, piece.channels
    counts, steps = ((one[0], one[1], one[3]) for one in (piece.shape, piece.strides))
    first, second, third = (axes.index(axis) for axis in range(3))
    return Piece(
        *(spans[first], spans[second], spans[third], piece.offset),
        (counts[first], counts[second], 1, counts[third]),
        (steps[first], steps[second], 0, steps[third]),
    )
