"""Feature maps: where each element of a layer's input or output lies.

A map has height, width and depth, and up to four tiles with a base address each: rows below
``height0`` go on at another place, columns right of ``width0`` as well, as rolling buffers need it.
Elements lie in the order of height, width, depth (NHWC), or in bricks of 16 channels (NHCWB16).

Facts: Vela 5.2.0 ``register_command_stream_util.py`` (``get_strides``, ``get_address``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.model import Array
from arenite.npu.registers import Registers
from arenite.npu.stream import StreamError

Int64 = npt.NDArray[np.int64]
Memory = Mapping[int, npt.NDArray[np.uint8]]
Sizes = Mapping[int, int]
Shape = tuple[int, int, int]
#: Regions from here on are inside the NPU.
INSIDE = 8
#: Channels of a brick.
BRICK = 16
#: Bits of the precision registers: NHCWB16; the type is elsewhere for inputs and outputs.
_BRICKS = 1 << 6
_TYPES = {
    (0, 0): "uint8",
    (0, 1): "int8",
    (1, 0): "uint16",
    (1, 1): "int16",
    (2, 0): "uint32",
    (2, 1): "int32",
}
#: U85 alone has sums of other operations as inputs.
_TYPES_U85 = {**_TYPES, (3, 1): "int64"}


class Piece(NamedTuple):
    """Elements of a map that lie in regular steps.

    Attributes:
        rows, columns, channels: Which elements: half-open intervals.
        offset: The first one's address in its region.
        shape: Rows, columns, bricks, channels of a brick.
        strides: Bytes from one to the next.
    """

    rows: tuple[int, int]
    columns: tuple[int, int]
    channels: tuple[int, int]
    offset: int
    shape: tuple[int, int, int, int]
    strides: tuple[int, int, int, int]

    def span(self, itemsize: int) -> tuple[int, int]:
        """The half-open interval of bytes that its elements lie in."""
        steps = [(n - 1) * step for n, step in zip(self.shape, self.strides, strict=True)]
        low = self.offset + sum(step for step in steps if step < 0)
        return low, self.offset + sum(step for step in steps if step > 0) + itemsize


@dataclass(frozen=True)
class FeatureMap:
    """An input or output of an operation.

    Attributes:
        region: Of memory.
        dtype: Of its elements.
        shape: Height, width, depth.
        zero_point: What stands for 0.
        pieces: Where its elements lie.
        is_bricks: Whether 16 channels lie together (NHCWB16).
        axes: Which of its axes each axis in memory is.
    """

    region: int
    dtype: np.dtype[Any]
    shape: Shape
    zero_point: int
    pieces: tuple[Piece, ...]
    is_bricks: bool = False
    axes: tuple[int, int, int] = (0, 1, 2)

    @property
    def size(self) -> int:
        """Number of elements."""
        height, width, depth = self.shape
        return height * width * depth

    @property
    def span(self) -> tuple[int, int]:
        """The half-open interval of bytes that it lies in, gaps included."""
        spans = [piece.span(self.dtype.itemsize) for piece in self.pieces]
        return min(low for low, _ in spans), max(high for _, high in spans)

    def read(self, memory: Memory) -> Int64:
        """All elements."""
        out = np.empty(self.shape, np.int64)
        for piece, view in self.views(memory):
            part = out[slice(*piece.rows), slice(*piece.columns), slice(*piece.channels)]
            part[...] = view.reshape(part.shape)
        return out

    def write(self, memory: Memory, values: Int64) -> None:
        """Store all elements; what is beyond the type wraps."""
        narrow = values.astype(self.dtype)
        for piece, view in self.views(memory):
            part = narrow[slice(*piece.rows), slice(*piece.columns), slice(*piece.channels)]
            view[...] = part.reshape(view.shape)

    def views(self, memory: Memory) -> Iterator[tuple[Piece, Array]]:
        """Its pieces and their elements in memory, to be read or written."""
        for piece in self.pieces:
            view: Array = np.ndarray(
                piece.shape, self.dtype, memory[self.region], piece.offset, piece.strides
            )
            yield piece, view


def feature_map(registers: Registers, which: str, shape: Shape, sizes: Sizes) -> FeatureMap:
    """The map that registers describe, inside its region.

    Args:
        registers: As they are when the operation begins.
        which: ``"IFM"``, ``"IFM2"`` or ``"OFM"``.
        shape: Height, width, depth.
        sizes: Bytes of each region.

    Raises:
        StreamError: There is no such region or type, or an element lies outside, or there are more
            elements than the region has bytes for.
    """
    precision = registers.short(f"{which}_PRECISION")
    dtype = type_of(registers, which)
    region = registers.short(f"{which}_REGION")
    if region not in sizes or region >= INSIDE:
        there = ", ".join(str(number) for number in sorted(sizes) if number < INSIDE)
        raise StreamError(f"{which}: expected a region of {there}, got {region}")
    is_bricks = bool(precision & _BRICKS)
    height, width, depth = shape
    if height * width * depth * dtype.itemsize > sizes[region]:
        raise StreamError(
            f"{which}: {height}x{width}x{depth} elements of {dtype} do not fit region {region} of "
            f"{sizes[region]} bytes"
        )
    pieces = tuple(_pieces(registers, which, shape, dtype.itemsize, is_bricks))
    zero_point = f"{which}_ZERO_POINT"
    zero = registers.signed(zero_point) if precision & 1 else registers.short(zero_point)
    found = FeatureMap(region, dtype, shape, zero, pieces, is_bricks)
    low, high = found.span
    if low < 0 or high > sizes[region]:
        raise StreamError(
            f"{which}: bytes {low} to {high} are outside of region {region} of {sizes[region]} "
            "bytes"
        )
    return found


def type_of(registers: Registers, which: str) -> np.dtype[Any]:
    """The type of a map's elements.

    Raises:
        StreamError: There is none of that width.
    """
    precision = registers.short(f"{which}_PRECISION")
    width = precision >> (1 if which == "OFM" else 2) & 3
    name = (_TYPES_U85 if registers.is_u85 else _TYPES).get((width, precision & 1))
    if name is None:
        raise StreamError(f"{which}: there is no type of width {width}")
    return np.dtype(name)


def _pieces(
    registers: Registers, which: str, shape: Shape, itemsize: int, is_bricks: bool
) -> Iterator[Piece]:
    """The tiles that there are elements in, by bricks where channels lie so."""
    height, width, depth = shape
    columns = min(registers.size(f"{which}_WIDTH0"), width)
    step = {axis: registers.stride(f"{which}_STRIDE_{axis}") for axis in "YXC"}
    for side, (begin, end) in enumerate(((0, columns), (columns, width))):
        rows = min(registers.size(f"{which}_HEIGHT{side}"), height)
        for part, (top, bottom) in enumerate(((0, rows), (rows, height))):
            if begin == end or top == bottom:
                continue
            base = registers.address(f"{which}_BASE{side + 2 * part}")
            place = (top, bottom), (begin, end)
            counts = bottom - top, end - begin
            if not is_bricks:
                strides = (step["Y"], step["X"], 0, itemsize)
                yield Piece(*place, (0, depth), base, (*counts, 1, depth), strides)
                continue
            strides = (step["Y"], BRICK * itemsize, step["C"], itemsize)
            whole = depth // BRICK
            if whole:
                dims = (*counts, whole, BRICK)
                yield Piece(*place, (0, whole * BRICK), base, dims, strides)
            if depth % BRICK:
                rest = (whole * BRICK, depth)
                last = base + whole * step["C"]
                yield Piece(*place, rest, last, (*counts, 1, depth % BRICK), strides)
