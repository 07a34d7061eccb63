"""Windows that slide over NHWC images: geometry, zero borders, views of all windows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.model.fast_init import quick
from arenite.ops.context import Array, Context
from arenite.ops.kernel_util import window_output_size, window_padding


@quick
@dataclass(frozen=True)
class Window:
    """A 2-D sliding window; every pair is ``(height, width)``.

    ``padding`` counts the elements before the first; behind the last there are as many
    as the window needs.
    """

    output_size: tuple[int, int]
    filter_size: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int]


class Placement(NamedTuple):
    """Where a window slides, where neither SAME nor VALID says it; pairs as in :class:`Window`."""

    output_size: tuple[int, int]
    padding: tuple[int, int]


def window_of(
    context: Context, options: Any, input_shape: tuple[int, ...], filter_size: tuple[int, ...]
) -> Window:
    """The window of a convolution or pooling, from its options and an NHWC shape.

    Options with a ``placement`` (see :mod:`arenite.ops.shared.placed`) need no padding scheme.
    """
    placement: Placement | None = getattr(options, "placement", None)
    dilations: tuple[int, int] = (
        getattr(options, "dilation_h_factor", 1),
        getattr(options, "dilation_w_factor", 1),
    )
    window = _window(
        options.padding if placement is None else placement,
        input_shape[1:3],
        tuple(filter_size),
        (options.stride_h, options.stride_w),
        dilations,
    )
    if isinstance(window, str):
        context.report_error(window)
    return window


@lru_cache(maxsize=1024)
def _window(
    padding: int | Placement,
    size: tuple[int, ...],
    filter_size: tuple[int, ...],
    strides: tuple[int, int],
    dilations: tuple[int, int],
) -> Window | str:
    """A window, or why there is none; layers of a model, and models, have few different ones."""
    rows, columns = filter_size
    if min(*strides, *dilations, rows, columns) < 1:
        return (
            f"strides, dilations and filter sizes must be at least 1, got strides {strides}, "
            f"dilations {dilations}, filter {filter_size}"
        )
    if isinstance(padding, Placement):
        return Window(
            padding.output_size,
            (rows, columns),
            strides,
            dilations,
            padding.padding,
        )
    axes = list(zip(size, filter_size, strides, dilations, strict=True))
    outputs = [
        window_output_size(padding, length, taps, stride, dilation)
        for length, taps, stride, dilation in axes
    ]
    if min(outputs) < 1:
        return f"a filter of {filter_size} does not fit an input of {size}"
    before = [
        window_padding(stride, dilation, length, taps, output)
        for (length, taps, stride, dilation), output in zip(axes, outputs, strict=True)
    ]
    return Window(
        (outputs[0], outputs[1]), (rows, columns), strides, dilations, (before[0], before[1])
    )


@dataclass(frozen=True)
class Axis:
    """A window along one axis of an image, without the taps that never meet the image.

    A file may set strides and dilations to anything; the span stays within three times
    the image all the same. Where no tap meets the image, one is kept.

    Attributes:
        size: Elements of the image.
        outputs: Positions of the window.
        taps: The taps of the filter that meet the image at any position, at least one.
        first: Where the first of them lies at the first position; may be negative.
        stride: Elements between positions; 1 where there is one position only.
        dilation: Elements between taps.
    """

    size: int
    outputs: int
    taps: slice
    first: int
    stride: int
    dilation: int

    @property
    def count(self) -> int:
        """Number of taps."""
        return int(self.taps.stop - self.taps.start)

    @property
    def span(self) -> int:
        """Elements from the first tap of the first position to the last of the last."""
        return (self.outputs - 1) * self.stride + (self.count - 1) * self.dilation + 1

    @property
    def inside(self) -> slice:
        """The part of the image that lies in the span."""
        return slice(max(self.first, 0), min(self.first + self.span, self.size))

    def tap(self, index: int) -> slice:
        """Elements of the span that tap ``index`` meets, one per position."""
        start = index * self.dilation
        return slice(start, start + (self.outputs - 1) * self.stride + 1, self.stride)

    def inside_of(self, tap: int) -> tuple[slice, slice]:
        """The positions at which a tap meets the image, and the elements that it meets there."""
        start = self.first + tap * self.dilation
        low = max(0, -(start // self.stride))
        high = max(low, min(self.outputs, (self.size - 1 - start) // self.stride + 1))
        begin = start + low * self.stride
        return slice(low, high), slice(begin, begin + (high - low) * self.stride, self.stride)


def axes_of(window: Window, size: tuple[int, ...]) -> tuple[Axis, Axis]:
    """The window's two axes over an image of ``size`` (height, width)."""
    return _axis(window, size[0], 0), _axis(window, size[1], 1)


def _axis(window: Window, size: int, axis: int) -> Axis:
    outputs, padding = window.output_size[axis], window.padding[axis]
    stride = window.stride[axis] if outputs > 1 else 1
    dilation = window.dilation[axis]
    taps = window.filter_size[axis]
    low = min(max(0, -(((outputs - 1) * stride - padding) // dilation)), taps - 1)
    high = max(min(taps, (size - 1 + padding) // dilation + 1), low + 1)
    first = low * dilation - padding
    # One tap needs no dilation, which a file may set to more than NumPy's strides take.
    return Axis(size, outputs, slice(low, high), first, stride, dilation if high - low > 1 else 1)


class Border:
    """Span of a window over NHWC images, in memory of its own that includes the padding.

    ``memory`` has the shape ``(n, rows, phases, columns / phases, channels)``: with as many
    phases as the window's stride, neighbouring positions meet neighbouring elements.

    Args:
        shape: Of the images.
        axes: The window, from :func:`axes_of`.
        dtype: Of the memory.
        padding: The value around the images.
        phases: 1, or the stride of the columns.
        repeat: How often each channel appears, one next to the other.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        axes: tuple[Axis, Axis],
        dtype: npt.DTypeLike,
        padding: float,
        *,
        phases: int = 1,
        repeat: int = 1,
    ) -> None:
        self.axes = axes
        self._phases = phases
        (rows, columns), (n, _, _, depth) = axes, shape
        per_phase = -(-columns.span // phases)
        self.memory = np.full((n, rows.span, phases, per_phase, depth * repeat), padding, dtype)
        split = self.memory.reshape(*self.memory.shape[:4], depth, repeat)
        top = rows.inside.start - rows.first
        height = max(rows.inside.stop - rows.inside.start, 0)
        self._copies: list[tuple[Array, Any]] = []
        for phase in range(phases):
            start = columns.inside.start - columns.first
            behind = (phase - start) % phases
            source = slice(columns.inside.start + behind, max(columns.inside.stop, 0), phases)
            width = len(range(source.start, source.stop, phases))
            left = (start + behind) // phases
            target = split[:, top : top + height, phase, left : left + width]
            if target.size:
                self._copies.append((target, (slice(None), rows.inside, source, slice(None), None)))

    def fill(self, images: Array) -> None:
        """Copy the images to their place."""
        for target, source in self._copies:
            np.copyto(target, images[source])

    def tap(self, row: int, column: int) -> Array:
        """Values that one tap meets, ``(n, oh, ow, channels)``; phases are the columns' stride."""
        rows, columns = self.axes
        left, phase = divmod(column * columns.dilation, self._phases)
        return self.memory[:, rows.tap(row), phase, left : left + columns.outputs]

    def windows(self) -> Array:
        """All windows, ``(n, oh, ow, kh, kw, channels)``: a view on memory without phases."""
        rows, columns = self.axes
        n, _, _, _, channels = self.memory.shape
        sn, sh, _, sw, sc = self.memory.strides
        shape = (n, rows.outputs, columns.outputs, rows.count, columns.count, channels)
        strides = (
            sn,
            sh * rows.stride,
            sw * columns.stride,
            sh * rows.dilation,
            sw * columns.dilation,
            sc,
        )
        return np.lib.stride_tricks.as_strided(self.memory, shape, strides, writeable=False)


def overlap(first: int, stride: int, inputs: int, outputs: int) -> tuple[slice, slice]:
    """Inputs that a transposed convolution adds at ``first + index * stride``, and where.

    Both along one axis; inputs whose place is not among the outputs are left out.
    """
    low = max(0, -(first // stride))
    high = min(inputs, (outputs - 1 - first) // stride + 1)
    count = max(high - low, 0)
    start = first + low * stride
    return slice(low, low + count), slice(start, start + max(count - 1, 0) * stride + 1, stride)
