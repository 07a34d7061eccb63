"""A line with vectors: which of its outputs meet padding, and what CMSIS-NN makes of them.

Facts: CMSIS-NN ``Source/ConvolutionFunctions/arm_convolve_1_x_n_s8.c``,
``arm_convolve_1_x_n_s4.c``, ``arm_convolve_1x1_s4*.c`` and ``arm_convolve_get_buffer_sizes_s8.c``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape

#: ``(positions, taps)``.
Pixels = npt.NDArray[np.intp]


def line_padding(conv: ConvShape) -> tuple[int, int]:
    """Padding along a line in all, and its remainder by 2 as C computes it (-1, 0 or 1)."""
    total = (conv.output.w - 1) * conv.stride.w + conv.filter.w - conv.input.w
    return total, total - 2 * int(total / 2)


def padded_positions(conv: ConvShape) -> tuple[int, int]:
    """Output positions along a line that meet padding at the left and at the right."""
    pad, stride = conv.padding.w, conv.stride.w
    right = pad + line_padding(conv)[1]
    return _positions(pad, stride), _positions(right, stride)


def _positions(pad: int, stride: int) -> int:
    return max(1, int((pad + stride - 1) / stride)) if pad else 0


def line_splits(conv: ConvShape) -> bool:
    """Whether the padded ends of a line are separate: they do not cover all positions."""
    return sum(padded_positions(conv)) <= conv.output.w


def line_right_padding(conv: ConvShape) -> int:
    """Pixels of padding that vectors put behind the right end of a line."""
    _, right = padded_positions(conv)
    return right if line_padding(conv)[1] else conv.padding.w


def line_is_exact(conv: ConvShape) -> bool:
    """Whether vectors find at the ends of a line what the windows there hold.

    C refuses a line whose padding is not split evenly, as with steps that leave a part of the
    input over. It takes for granted that the first window at the right end lacks one pixel, that
    the padding behind is long enough for the last one, and that a window is no longer than the
    line. With steps of 1 only the last may not hold.
    """
    total, remainder = line_padding(conv)
    _, right = padded_positions(conv)
    if 2 * conv.padding.w + remainder != total or conv.filter.w > conv.input.w:
        return False
    further = (right - 1) * conv.stride.w
    lacking = total - conv.padding.w - further
    return not right or (lacking == 1 and line_right_padding(conv) > further)


def line_fails(conv: ConvShape) -> bool:
    """Whether C refuses a line: one whose padding is not split evenly, one pixel apart at most."""
    total, remainder = line_padding(conv)
    return 2 * conv.padding.w + remainder != total


def seen_by_windows(conv: ConvShape) -> Pixels:
    """The pixel of the line that each tap sees at each position, -1 for padding."""
    starts = np.arange(conv.output.w)[:, None] * conv.stride.w - conv.padding.w
    pixels = starts + np.arange(conv.filter.w)
    return np.where((pixels >= 0) & (pixels < conv.input.w), pixels, -1)


def line_sources(conv: ConvShape) -> Pixels | None:
    """The same as vectors see it; None where they see what lies behind the line's memory.

    Windows that meet padding slide over a buffer: at the left over padding and the first pixels,
    at the right over pixels and padding, and what was there before.
    """
    left, right = padded_positions(conv)
    taps, middle = conv.filter.w, conv.output.w - left - right
    buffer = [-1] * conv.padding.w + list(range(taps))
    windows = [_slide(buffer, index, conv) for index in range(left)]
    line = list(range(conv.input.w))
    first = left * conv.stride.w - conv.padding.w
    windows += [_slide(line[first:], index, conv) for index in range(middle)]
    start = (left + middle) * conv.stride.w - conv.padding.w
    end = [*range(start, start + taps - 1), *[-1] * line_right_padding(conv)]
    buffer[: len(end)] = end
    windows += [_slide(buffer, index, conv) for index in range(right)]
    if any(len(window) < taps or max(window) >= conv.input.w for window in windows):
        return None
    return np.array(windows, np.intp).reshape(conv.output.w, taps)


def _slide(pixels: list[int], index: int, conv: ConvShape) -> list[int]:
    return pixels[index * conv.stride.w : index * conv.stride.w + conv.filter.w]


def first_weights(conv: ConvShape) -> Pixels:
    """``(positions, filters)``: where vectors find the first int4 weight of each filter on a line.

    What windows have at the line's ends begins with the low half of a byte. The places are those
    of a whole filter's first weight, of which the first few may be left out.
    """
    left, right = padded_positions(conv)
    weights = conv.filter.w * conv.filter.c
    own = np.arange(conv.output.c) * weights
    places = np.tile(own, (conv.output.w, 1))
    for position in range(left):
        skipped = (conv.padding.w - position * conv.stride.w) * conv.filter.c
        places[position] = own // 2 * 2 + skipped // 2 * 2 - skipped
    places[conv.output.w - right :] = own // 2 * 2
    return places


def left_over(conv: ConvShape, path: Path) -> Pixels:
    """Positions, counted through all images, that int4 multiplies in twos or threes, not fours."""
    columns, positions = conv.output.w, conv.output.h * conv.output.w
    total = conv.input.n * positions
    step, first, count = positions, 0, positions
    match path.function:
        case "arm_convolve_1x1_s4_fast":
            step = count = total
        case "arm_convolve_1x1_s4":
            step = count = columns
        case "arm_convolve_1_x_n_s4":
            left, right = padded_positions(conv)
            first, count = left, columns - left - right
    rest = count % 4 if count % 4 > 1 else 0
    ends = np.arange(0, total, step) + first + count
    return (ends[:, None] + np.arange(-rest, 0)).reshape(-1)
