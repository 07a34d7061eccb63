"""The weights that ``arm_depthwise_conv_s4`` takes where the input has an odd number of channels.

Two int4 share a byte. The function steps from tap to tap by half of an even number of channels, and
takes the low and the high half in turn, from tap to tap and on to the next channel. With an odd
number of channels it so gets other weights than the taps' own, and others again where a part of the
window lies beside the image. Facts: CMSIS-NN
``Source/ConvolutionFunctions/arm_depthwise_conv_s4.c`` (July 2026).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.libraries.shapes import ConvShape

Places = npt.NDArray[np.int32]


class Taken(NamedTuple):
    """Weights that are taken for each tap.

    Attributes:
        kinds: ``(output rows, output columns)``: which kind of window lies there.
        places: ``(kinds, taps, output channels)``: a weight's place among all of them as they lie
            in memory; -1 for taps beside the image.
    """

    kinds: Places
    places: Places


class _Part(NamedTuple):
    """The taps of an axis that meet the image."""

    start: int
    end: int


@lru_cache(maxsize=8)
def weights_taken(conv: ConvShape) -> Taken:
    """The weights for every window of a convolution with an odd number of input channels."""
    rows = _parts(conv, "h")
    columns = _parts(conv, "w")
    kinds: dict[tuple[_Part, _Part], int] = {}
    of_windows = [kinds.setdefault((row, column), len(kinds)) for row in rows for column in columns]
    return Taken(
        np.array(of_windows, np.int32).reshape(len(rows), len(columns)),
        np.stack([_places(conv, row, column) for row, column in kinds]).astype(np.int32),
    )


def _parts(conv: ConvShape, axis: Literal["h", "w"]) -> list[_Part]:
    stride, padding, dilation, taps, size, outputs = (
        getattr(what, axis)
        for what in (conv.stride, conv.padding, conv.dilation, conv.filter, conv.input, conv.output)
    )
    parts = []
    for output in range(outputs):
        base = output * stride - padding
        start = max(0, -(base // dilation))
        parts.append(_Part(start, max(start, min(taps, -((base - size) // dilation)))))
    return parts


def _places(conv: ConvShape, rows: _Part, columns: _Part) -> Places:
    """``(taps, output channels)``; none lies behind its tap's own weight."""
    taps, channels = np.arange(conv.filter.h * conv.filter.w), np.arange(conv.filter.c)
    i, j = np.divmod(taps, conv.filter.w)
    inside = (rows.start <= i) & (i < rows.end) & (columns.start <= j) & (j < columns.end)
    # Halves follow each other from tap to tap. The second of two channels begins with the low one,
    # like the first, where the taps make good for its being the second.
    begins_high = channels * (inside.sum() + len(taps) + 1) % 2
    first = channels // 2 * 2 + begins_high
    order = np.cumsum(inside) - 1
    step = (conv.input.c - 1) * conv.ch_mult
    return np.where(inside[:, None], (taps * step + order)[:, None] + first, -1)
