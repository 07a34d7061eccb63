"""Safe distances of operators whose window slides over an image.

The output position that reads a pixel last follows from rows and columns by themselves: it is in
the last row of positions whose window meets the pixel's row, and in the last column that meets its
column. What a kernel has written when it reads there is the kernel's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arenite.ops import Array, NodeView
from arenite.ops.kernel_util import window_output_size, window_padding
from arenite.ops.overlap import Clearance, element_bytes

#: Pixels that are looked at together.
_CHUNK = 1 << 16


class Axis(NamedTuple):
    """A window along one axis: elements of the image, positions, taps and how they lie."""

    size: int
    outputs: int
    taps: int
    stride: int
    dilation: int
    padding: int

    def last_positions(self) -> Array:
        """The last position whose window meets an element, for each; -1 for none."""
        x = np.arange(self.size, dtype=np.int64) + self.padding
        last = np.full(self.size, -1, np.int64)
        # Without dilation the first tap's position is the last one, where it is not beyond.
        for tap in range(self.taps if self.dilation > 1 else 1):
            offset = x - tap * self.dilation
            position = np.minimum(offset // self.stride, self.outputs - 1)
            if self.dilation == 1:
                meets = (offset >= 0) & (offset - position * self.stride < self.taps)
            else:
                meets = (offset >= 0) & (offset == position * self.stride)
            last = np.where(meets, np.maximum(last, position), last)
        return last


class Sliding(NamedTuple):
    """A window over images of ``depth`` channels; ``channels`` are the output's."""

    batches: int
    rows: Axis
    columns: Axis
    depth: int
    channels: int

    @property
    def positions(self) -> int:
        """Output pixels of an image."""
        return self.rows.outputs * self.columns.outputs

    def furthest(self, written: Callable[[Array], Array]) -> int:
        """The lead of writing over reading, in elements; 0 if it never does.

        ``written(n)`` elements of the output, up to the highest one, are written before the
        window at position n has been read for the last time.
        """
        rows, columns = self.rows.last_positions(), self.columns.last_positions()
        width, furthest = len(columns), 0
        step = max(1, _CHUNK // width)
        for top in range(0, len(rows), step):
            part = rows[top : top + step, None]
            position = part * self.columns.outputs + columns
            pixel = (top + np.arange(len(part)))[:, None] * width + np.arange(width)
            ahead = (written(position) - pixel * self.depth)[(part >= 0) & (columns >= 0)]
            furthest = max(furthest, int(ahead.max(initial=0)))
        return furthest


def window_over(view: NodeView, taps: tuple[int, ...], channels: int) -> Sliding | None:
    """The window of a node with NHWC input 0 and these taps, its height and width.

    None where neither SAME nor VALID places it, as in ``.mnn`` files.
    """
    options: Any = view.options
    if getattr(options, "placement", None) is not None:
        return None
    n, *size, depth = view.input(0).shape
    strides = options.stride_h, options.stride_w
    dilations = getattr(options, "dilation_h_factor", 1), getattr(options, "dilation_w_factor", 1)
    axes = []
    for extent, count, stride, dilation in zip(size, taps, strides, dilations, strict=True):
        outputs = window_output_size(options.padding, extent, count, stride, dilation)
        padding = window_padding(stride, dilation, extent, count, outputs)
        axes.append(Axis(extent, outputs, count, stride, dilation, padding))
    rows, columns = axes
    return Sliding(n, rows, columns, depth, channels)


def position_by_position(window: Sliding | None, view: NodeView) -> Clearance | None:
    """All channels of a position are computed, one by one, then those of the next.

    Each of them may read the whole window.
    """
    if window is None or window.batches != 1:
        return None
    channels = window.channels
    ahead = window.furthest(lambda position: position * channels + channels - 1)
    return Clearance(ahead * element_bytes(view.output(0)))


def channel_by_channel(window: Sliding | None, view: NodeView) -> Clearance | None:
    """As :func:`position_by_position`, where an output channel reads one input channel only.

    ``channels / depth`` output channels that follow each other read the same one: with
    ``m = channels / depth`` channel c is read for the last time before ``c m + m - 1``. So what
    is written gets ahead of it by most for the last channel.
    """
    if window is None or window.batches != 1:
        return None
    depth, channels = window.depth, window.channels
    behind = depth * (channels // depth - 1)
    ahead = window.furthest(lambda position: position * channels + behind)
    return Clearance(ahead * element_bytes(view.output(0)))
