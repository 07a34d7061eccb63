"""The order in which U85's units take weights.

Blocks of input channels are gone through forwards and backwards in turn, so that the last one is
used again; rows of the kernel likewise, after it was taken apart by the stride. Filters go by fours
to the streams. Weights of which two of four are 0 go by 16 channels, all others by 8.

Facts: Vela 5.2.0 regor ``ethos_u85_weight_encoder.cpp`` (``EthosU85WeightOrdering``,
``EthosU85WeightOrderingFwd``), ``ethos_u85.cpp`` (``FindBlockConfig``: depths of input blocks).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from arenite.npu.stream import StreamError
from arenite.npu.traversal import MAX_WEIGHTS

Int64 = npt.NDArray[np.int64]
Way = Literal["depthwise", "part", "depth"]
#: A part of the kernel, before dilation.
_PART = 8
#: Filters that go to one stream together.
_TOGETHER = 4


def _cuts(length: int, step: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The sizes of pieces of a length, each with how many there are."""
    return (step, length // step), (length % step, 1)


@dataclass(frozen=True)
class Traversal:
    """Parameters that decide on the order.

    Attributes:
        shape: Output channels, kernel height, kernel width, input channels (1 for depthwise).
        block: Output channels of a block.
        unit: Output channels that the units compute at once.
        way: Each output channel has its own input channel; part kernel first; depth first.
        input_bits: 8 or 16.
        stride: Vertical, horizontal.
        dilation: Likewise.
        streams: Among which filters are shared out.
        macs: The NPU's.
        is_sparse: Of four weights along the depth two are 0.
    """

    shape: tuple[int, int, int, int]
    block: int
    unit: int
    way: Way
    input_bits: int
    stride: tuple[int, int]
    dilation: tuple[int, int]
    streams: int
    macs: int
    is_sparse: bool = False

    @property
    def depth(self) -> int:
        """Input channels of a block."""
        if self.way != "depth":
            return 1 if self.way == "depthwise" else 16
        if self.macs <= 256 and self.unit == 16 and not self.is_sparse:
            return 32
        return 128 if self.is_sparse and self.input_bits == 8 else 64

    @property
    def _step(self) -> int:
        """Input channels that the units take at once."""
        return 1 if self.way == "depthwise" else 16 if self.is_sparse else 8

    @property
    def _inner(self) -> int:
        """Input channels that go through all filters of a block before others do."""
        return 8 if self.way == "part" and self._step == 8 and self.input_bits == 16 else self.depth

    @property
    def _round(self) -> int:
        """Elements of the kernel that come together, if need be as zeros."""
        if self.way == "depth":
            return 1
        is_narrow = self.way == "part" and self.input_bits == 8 and not self.is_sparse
        return 5 if is_narrow else 10

    def places(self, stream: int) -> Int64:
        """For each weight of a stream its place in an array of ``shape``; -1 for padding.

        Raises:
            StreamError: There are too many.
        """
        self._check_count()
        return np.concatenate(list(self._parts(stream)))

    def merged_places(self) -> Int64:
        """The same for one stream of all, which take turns."""
        size = self.unit * self._inner * self._round // self.streams
        parts = [self.places(stream).reshape(-1, size) for stream in range(self.streams)]
        return np.stack(parts, axis=1).reshape(-1)

    def _check_count(self) -> None:
        filters, height, width, depth = self.shape
        part_height, part_width = (_PART // step for step in self.dilation)
        fed = sum(
            count * other * -(-rows * columns // self._round) * (self._round + self._idle)
            for rows, count in _cuts(height, part_height)
            for columns, other in _cuts(width, part_width)
        )
        fed *= sum(
            -(-n // self.unit) * self.unit * count for n, count in _cuts(filters, self.block)
        )
        fed *= sum(
            -(-n // self._inner) * self._inner * count for n, count in _cuts(depth, self.depth)
        )
        if fed // self.streams > MAX_WEIGHTS:
            raise StreamError(
                f"expected a layer of at most {MAX_WEIGHTS} weights, got {fed // self.streams}"
            )

    def _parts(self, stream: int) -> Iterator[Int64]:
        filters, height, width, depth = self.shape
        part_height, part_width = (_PART // step for step in self.dilation)
        channels = list(range(0, depth, self.depth))
        for number, first in enumerate(range(0, filters, self.block)):
            block = first, min(self.block, filters - first)
            for channel in reversed(channels) if number % 2 else channels:
                last = min(channel + self.depth, depth)
                for x in range(0, width, part_width):
                    for y in range(0, height, part_height):
                        size = min(part_height, height - y), min(part_width, width - x)
                        elements = self._elements((y, x), size)
                        for inner in range(channel, last, self._inner):
                            yield self._part(block, inner, elements, stream)

    def _elements(self, first: tuple[int, int], size: tuple[int, int]) -> Int64:
        """Elements of a part of the kernel as they come, by row and column; -1 for padding."""
        order = []
        down, right = (1, 1) if self.way == "depth" else self.stride
        for top in range(down):
            for left in range(right):
                columns = range(left, size[1], right)
                for number, y in enumerate(range(top, size[0], down)):
                    for x in reversed(columns) if number % 2 else columns:
                        order.append((first[0] + y) * self.shape[2] + first[1] + x)
        order += [-1] * (-len(order) % self._round)
        found = np.array(order, np.int64).reshape(-1, self._round)
        idle = np.full((len(found), self._idle), -1)
        return np.concatenate([found, idle], axis=1).reshape(-1)

    @property
    def _idle(self) -> int:
        """Elements that depthwise layers leave out behind those that come together."""
        if self.way != "depthwise" or (self.input_bits == 8 and self.macs <= 256):
            return 0
        return 2 if self.macs <= 512 else 6

    def _part(self, block: tuple[int, int], channel: int, elements: Int64, stream: int) -> Int64:
        """Weights of a block of filters, of ``_inner`` channels and of elements of the kernel."""
        filters, height, width, depth = self.shape
        unit = np.arange(0, block[1], self.unit)
        inner = np.arange(0, self._inner, self._step)
        group = np.arange(stream * _TOGETHER, self.unit, _TOGETHER * self.streams)
        unit_, element_, inner_, group_, filter_, lane_ = np.ix_(
            unit, elements, inner, group, np.arange(_TOGETHER), np.arange(self._step)
        )
        z, filter_index = channel + inner_ + lane_, block[0] + unit_ + group_ + filter_
        is_there = (z < depth) & (filter_index < filters) & (element_ >= 0)
        place = (filter_index * height * width + element_) * depth + z
        return np.where(is_there, place, -1).reshape(-1)
