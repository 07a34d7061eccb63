"""Loops of CONV_2D and of TRANSPOSE_CONV.

Facts: CMSIS-NN ``Source/ConvolutionFunctions/arm_convolve_*.c``, ``arm_transpose_conv_*.c``.
"""

from __future__ import annotations

from arenite.libraries.cmsis_nn.cost.loops.copies import copies, fills
from arenite.libraries.cmsis_nn.cost.loops.products import (
    arm_nn_mat_mult_kernel_s8_s16,
    arm_nn_mat_mult_nt_t_s8,
    to_int16,
)
from arenite.libraries.cmsis_nn.decisions.line import line_right_padding, padded_positions
from arenite.libraries.costs import Loop
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape, taps_inside
from arenite.target import Target


def arm_convolve_s8(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """im2col, and a product for every two positions, or four with vectors."""
    name = "arm_convolve_s8"
    images = conv.input.n * conv.groups
    positions = images * conv.output.h * conv.output.w
    inside = images * taps_inside(conv)
    outside = positions * conv.filter.h * conv.filter.w - inside
    return [
        Loop(name, "call", 1),
        Loop(name, "position", positions),
        Loop(name, "row of taps", positions * conv.filter.h),
        Loop(name, "tap", inside),
        Loop(name, "padding", outside),
        *copies(name, inside, conv.filter.c, target),
        *fills(name, outside, conv.filter.c, target),
        *products(conv, target),
    ]


def products(conv: ConvShape, target: Target) -> list[Loop]:
    """Loops that multiply im2col rows as they fill up."""
    if target.instructions == "mve":
        return _products_of_vectors(conv, target)
    return _products_of_lanes(conv, target)


def _products_of_lanes(conv: ConvShape, target: Target) -> list[Loop]:
    """Two positions at a time; the last of an odd number by itself."""
    name = "arm_convolve_s8"
    columns, channels, images, positions = _matrix(conv)
    fours, rest = divmod(columns, 4)
    last = images * (positions % 2) * channels
    kernel = "arm_nn_mat_mult_kernel_s8_s16"
    if conv.groups > 1:
        kernel = "arm_nn_mat_mult_kernel_row_offset_s8_s16"
    return [
        *to_int16(images * positions, columns, target),
        *arm_nn_mat_mult_kernel_s8_s16(images * (positions // 2), channels, columns, kernel),
        Loop(name, "last position, channel", last),
        Loop(name, "last position, channel, 4 columns", last * fours),
        Loop(name, "last position, channel, column", last * rest),
    ]


def _products_of_vectors(conv: ConvShape, target: Target) -> list[Loop]:
    """Four positions at a time; the last one to three of an image in one product."""
    columns, channels, images, positions = _matrix(conv)
    return [
        *arm_nn_mat_mult_nt_t_s8(images * (positions // 4), 4, channels, columns, target),
        *arm_nn_mat_mult_nt_t_s8(
            images * (positions % 4 > 0), positions % 4, channels, columns, target
        ),
    ]


def _matrix(conv: ConvShape) -> tuple[int, int, int, int]:
    """Values in a row, filters, images (of every group one), positions in an image."""
    columns = conv.filter.h * conv.filter.w * conv.filter.c
    images = conv.input.n * conv.groups
    return columns, conv.output.c // conv.groups, images, conv.output.h * conv.output.w


def arm_convolve_1x1_s8_fast(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """One product of all pixels."""
    pixels = conv.input.n * conv.input.h * conv.input.w
    return [
        Loop("arm_convolve_1x1_s8_fast", "call", 1),
        *arm_nn_mat_mult_nt_t_s8(1, pixels, conv.output.c, conv.input.c, target),
    ]


def arm_convolve_1x1_s8(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """A product for every row of the output."""
    rows = conv.input.n * conv.output.h
    return [
        Loop("arm_convolve_1x1_s8", "call", 1),
        Loop("arm_convolve_1x1_s8", "row", rows),
        *arm_nn_mat_mult_nt_t_s8(rows, conv.output.w, conv.output.c, conv.input.c, target),
    ]


def arm_convolve_1_x_n_s8(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """As the general convolution; vectors multiply a line where it lies, but for its ends."""
    name = "arm_convolve_1_x_n_s8"
    if "arm_convolve_s8" in path.calls:
        return [Loop(name, "call", 1), *arm_convolve_s8(conv, path, target)]
    left, right = padded_positions(conv)
    columns, channels, lines, _ = _matrix(conv)
    depth = conv.input.c
    ends = [
        *copies(name, lines, columns, target),
        *copies(name, lines, columns - depth, target),
        *fills(name, lines, conv.padding.w * depth, target),
        *fills(name, lines, line_right_padding(conv) * depth, target),
    ]
    products = [
        loop
        for rows in (left, conv.output.w - left - right, right)
        for loop in arm_nn_mat_mult_nt_t_s8(lines, rows, channels, columns, target)
    ]
    return [Loop(name, "line", lines), *ends, *products]


def arm_convolve_wrapper_s8(conv: ConvShape, path: Path, target: Target) -> list[Loop]:
    """The loops of the path that ``arm_convolve_wrapper_s8`` takes."""
    return FUNCTIONS[path.function](conv, path, target)


FUNCTIONS = {
    function.__name__: function
    for function in (
        arm_convolve_s8,
        arm_convolve_1x1_s8,
        arm_convolve_1x1_s8_fast,
        arm_convolve_1_x_n_s8,
    )
}
