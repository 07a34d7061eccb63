"""The order in which the units take weights: which filter, row, column and channel comes when.

Filters go by blocks of output channels, blocks of input channels, and parts of the kernel that are
8 high and wide before dilation. Within those, depth first means that every element of the kernel
goes through all input channels; part kernel first, that eight input channels go through all
elements. Units are fed in full: what lies beyond a filter's depth or kernel is a weight of 0.

Facts: Vela 5.2.0 ``mlw_encode.c`` (``reorder``), ``architecture_features.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.npu.stream import StreamError

Int64 = npt.NDArray[np.int64]
#: Input channels that the units take at once.
IFM_UNIT = 8
#: A part of the kernel, before dilation.
_PART = 8
#: Weights that one stream may feed, padding included.
MAX_WEIGHTS = 1 << 24


@dataclass(frozen=True)
class Traversal:
    """Parameters that decide on the order.

    Attributes:
        shape: Output channels, kernel height, kernel width, input channels (1 for depthwise).
        block: Output channels of a block.
        unit: Output channels that the units compute at once.
        is_depthwise: Each output channel has an input channel of its own.
        is_part_first: Part kernel first.
        input_bits: 8 or 16.
        dilation: Vertical, horizontal.
    """

    shape: tuple[int, int, int, int]
    block: int
    unit: int
    is_depthwise: bool
    is_part_first: bool
    input_bits: int
    dilation: tuple[int, int]

    def places(self) -> Int64:
        """For each weight of the stream its place in an array of ``shape``; -1 for padding.

        Raises:
            StreamError: There are too many.
        """
        filters, height, width, depth = self.shape
        # Never fewer than there will be: blocks are padded to 32 channels and 4 elements.
        most = (filters + self.unit) * (height * width + 4 * height) * (depth + 32)
        if most > MAX_WEIGHTS:
            raise StreamError(f"expected a layer of at most {MAX_WEIGHTS} weights, got {most}")
        return np.concatenate(list(self._parts()))

    def _parts(self) -> Iterator[Int64]:
        filters, height, width, depth = self.shape
        part_height, part_width = (_PART // step for step in self.dilation)
        depth_step = 16 if self.is_part_first or self.input_bits == 16 else 32
        for first in range(0, filters, self.block):
            block = min(self.block, filters - first)
            for channel in range(0, 1 if self.is_depthwise else depth, depth_step):
                channels = self._channels(channel, depth_step)
                for y in range(0, height, part_height):
                    rows = y, min(part_height, height - y)
                    for x in range(0, width, part_width):
                        columns = x, min(part_width, width - x)
                        yield self._part((first, block), (channel, channels), rows, columns)

    def _channels(self, channel: int, step: int) -> int:
        """Input channels of a block, by units."""
        if self.is_depthwise:
            return IFM_UNIT
        return min(step, self.shape[3] - channel) if self.is_part_first else step

    def _elements(self, elements: int) -> int:
        """Elements of a part of the kernel, padded to what the units take."""
        step = 1
        if self.is_depthwise:
            step = 4
        if self.is_part_first:
            step = 2 if self.input_bits == 16 else 4
        return -(-elements // step) * step

    def _part(
        self,
        block: tuple[int, int],
        channels: tuple[int, int],
        rows: tuple[int, int],
        columns: tuple[int, int],
    ) -> Int64:
        """All weights of a block of filters, a block of channels and a part of the kernel.

        Each is the first one and how many.
        """
        filters, height, width, depth = self.shape
        units = np.arange(0, channels[1], IFM_UNIT)
        none = np.zeros(1, np.int64)
        outer, inner = (units, none) if self.is_part_first else (none, units)
        element = np.arange(self._elements(rows[1] * columns[1]))
        lane = np.arange(1 if self.is_depthwise else IFM_UNIT)
        # One axis for each loop: units of channels, units of filters, elements, units of
        # channels, filters of a unit, channels of a unit.
        out_, block_, element_, in_, filter_, lane_ = np.ix_(
            outer, np.arange(0, block[1], self.unit), element, inner, np.arange(self.unit), lane
        )
        z = channels[0] + out_ + in_ + lane_
        filter_index = block[0] + block_ + filter_
        y, x = rows[0] + element_ // columns[1], columns[0] + element_ % columns[1]
        is_there = (z < depth) & (filter_index < filters) & (element_ // columns[1] < rows[1])
        place = ((filter_index * height + y) * width + x) * depth + z
        return np.where(is_there, place, -1).reshape(-1)


def arrange(
    stream: Int64, places: Int64, shape: tuple[int, int, int, int]
) -> npt.NDArray[np.int16]:
    """Weights of a stream, of 9 bits each, as an array of ``shape``.

    Raises:
        StreamError: Padding is not 0.
    """
    is_padding = places < 0
    if stream[is_padding].any():
        raise StreamError("expected weights of 0 beyond the filters, got others")
    out = np.zeros(shape, np.int16)
    out.reshape(-1)[places[~is_padding]] = stream[~is_padding]
    return out
