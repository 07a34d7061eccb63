"""Loops of TRANSPOSE_CONV.

Facts: CMSIS-NN ``ConvolutionFunctions/arm_transpose_conv_wrapper_s8.c``,
``arm_transpose_conv_s8.c`` and ``NNSupportFunctions/arm_nn_transpose_conv_row_s8_s32.c``.
"""

from __future__ import annotations

from arenite.libraries.cmsis_nn.cost.loops.convolution import products
from arenite.libraries.cmsis_nn.cost.loops.copies import copies, fills
from arenite.libraries.costs import Loop
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape
from arenite.target import Target


def arm_transpose_conv_wrapper_s8(
    conv: ConvShape, path: Path, target: Target, *, has_bias: bool
) -> list[Loop]:
    """The loops of the path that the wrapper takes."""
    if path.function == "arm_convolve_s8":
        return reversed_filter(conv, target)
    return arm_transpose_conv_s8(conv, target, has_bias=has_bias)


def reversed_filter(conv: ConvShape, target: Target) -> list[Loop]:
    """A convolution whose input has zeros between its pixels: rows are filled, then written."""
    name, wrapper = "arm_convolve_s8, upscaled", "arm_transpose_conv_wrapper_s8"
    depth, taps = conv.input.c, conv.filter.h * conv.filter.w
    positions = conv.input.n * conv.output.h * conv.output.w
    filters = conv.output.c * taps
    rows, columns = _taps(conv, "h"), _taps(conv, "w")
    inside = conv.input.n * rows * columns
    entered = conv.input.n * rows * conv.output.w
    return [
        Loop(name, "call", 1),
        Loop(wrapper, "call", 1),
        Loop(wrapper, "tap", filters),
        *copies(wrapper, filters, depth, target),
        Loop(name, "position", positions),
        *fills(name, positions, depth * taps, target),
        Loop(name, "empty row of taps", positions * conv.filter.h - entered),
        Loop(name, "row of taps", entered),
        Loop(name, "empty tap", entered * conv.filter.w - inside),
        Loop(name, "tap", inside),
        *copies(name, inside, depth, target),
        *products(conv, target),
    ]


def _taps(conv: ConvShape, axis: str) -> int:
    """Taps along one axis of all windows that meet a pixel."""
    size, taps, stride, padding, outputs = (
        int(getattr(part, axis))
        for part in (conv.input, conv.filter, conv.stride, conv.padding, conv.output)
    )
    starts = (index * stride - padding for index in range(size))
    return sum(0 <= start + tap < outputs for start in starts for tap in range(taps))


def arm_transpose_conv_s8(conv: ConvShape, target: Target, *, has_bias: bool) -> list[Loop]:
    """Rows of sums in int32 to which every input row adds; finished ones are requantised."""
    name = "arm_transpose_conv_s8"
    images, filters = conv.input.n, conv.output.c
    width = (conv.input.w - 1) * conv.stride.w + max(conv.filter.w, conv.stride.w)
    height = max(conv.filter.h, conv.stride.h)
    written = images * conv.input.h * conv.stride.h
    resets = images * height + written
    values = images * conv.output.h * conv.output.w * filters
    step, count = ("value", values)
    if target.instructions == "mve":
        step = "4 values"
        count = images * conv.output.h * conv.output.w * -(-filters // 4)
    cleared = (
        copies(name, resets * width, 4 * filters, target)
        if has_bias
        else fills(name, resets, 4 * filters * width, target)
    )
    return [
        Loop(name, "call", 1),
        Loop(name, "row", written),
        *cleared,
        Loop(name, "bias", resets * width * has_bias),
        Loop(name, "position", images * conv.output.h * conv.output.w),
        Loop(name, step, count),
        *_rows(conv, target),
    ]


def _rows(conv: ConvShape, target: Target) -> list[Loop]:
    """Four pixels of an input row at a time, then two, then one."""
    name = "arm_nn_transpose_conv_row_s8_s32"
    calls = conv.input.n * conv.input.h
    taps = conv.input.n * _rows_of_taps(conv) * conv.filter.w * conv.output.c
    loops = [Loop(name, "call", calls)]
    width = conv.input.w
    for size, times in ((4, width // 4), (2, width % 4 // 2), (1, width % 2)):
        step = f"{size} pixels"
        loops += [
            Loop(name, f"{step}, channel", calls * times * conv.output.c),
            Loop(name, f"{step}, tap", taps * times),
            *_channels(name, step, taps * times, conv.input.c, target),
        ]
    return loops


def _rows_of_taps(conv: ConvShape) -> int:
    """Rows of taps of all input rows; one row below the output is not left out."""
    taps, padding = conv.filter.h, conv.padding.h
    tops = (index * conv.stride.h for index in range(conv.input.h))
    return sum(
        taps - max(0, padding - top) - max(0, top + taps - (padding + conv.output.h) - 1)
        for top in tops
    )


def _channels(name: str, step: str, times: int, depth: int, target: Target) -> list[Loop]:
    if target.instructions == "mve":
        return [Loop(name, f"{step}, tap, 16 values", times * -(-depth // 16))]
    return [
        Loop(name, f"{step}, tap, 4 values", times * (depth // 4)),
        Loop(name, f"{step}, tap, value", times * (depth % 4)),
    ]
