"""CONV_2D: one tap, a line, or im2col.

The functions have the names of CMSIS-NN's; ``target`` stands for its preprocessor definitions.
Facts: CMSIS-NN ``Source/ConvolutionFunctions/arm_convolve_wrapper_*.c``, what they call,
``arm_convolve_get_buffer_sizes_*.c`` and ``Include/arm_nnsupportfunctions.h``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.libraries.cmsis_nn.decisions.before import is_before, unpacked
from arenite.libraries.cmsis_nn.decisions.line import line_right_padding, line_splits
from arenite.libraries.path import Condition, Path, Questions, needed, path_to_reference
from arenite.libraries.shapes import ONE, ConvShape, Pair, convolution
from arenite.memory.abi import align_up
from arenite.model import TensorType
from arenite.ops import Array, NodeView
from arenite.ops.overlap import Clearance
from arenite.ops.shared.window_overlap import Sliding, window_over
from arenite.target import Target

_INT16 = 2
#: Before April 2024, rows of int16 were copied up to so many values.
_FAST = 512


def decide(view: NodeView, target: Target) -> Path:
    """By the types of activations and weights; int4 weights take the scratch memory of int8."""
    if view.input(0).type is TensorType.FLOAT32:
        return path_to_reference("Conv")
    conv = convolution(view)
    if view.input(0).type is TensorType.INT16:
        return arm_convolve_wrapper_s16(conv, target)
    path = arm_convolve_wrapper_s8(conv, target)
    if view.input(1).type is TensorType.INT4:
        vectors = target.instructions == "mve"
        if as_int8 := unpacked(view, path, target):
            return as_int8
        int4 = arm_convolve_wrapper_s4(conv, target)
        return replace(int4, scratch=path.scratch, has_vectors=vectors)
    return path


def arm_convolve_wrapper_s8(conv: ConvShape, target: Target) -> Path:
    """int8 weights."""
    questions = Questions("arm_convolve_wrapper_s8")
    if questions.hold("arm_convolve_1x1_s8", *one_by_one(conv, target)):
        if questions.hold("arm_convolve_1x1_s8_fast", strides_are_one(conv)):
            return arm_convolve_1x1_s8_fast(questions, conv.input.c, target)
        return questions.path("arm_convolve_1x1_s8", "arm_nn_mat_mult_nt_t_s8")
    if questions.hold("arm_convolve_1_x_n_s8", *one_by_n(conv, target)):
        return _arm_convolve_1_x_n_s8(questions, conv, target)
    scratch = needed(im2col_size_s8(conv, target), "im2col")
    if conv.groups > 1 and is_before(target, "conv_groups"):
        whole = replace(conv, filter=replace(conv.filter, c=conv.input.c))
        scratch = arm_convolve_wrapper_s8(whole, target).scratch
    return questions.path("arm_convolve_s8", product(conv, target), scratch=scratch)


def arm_convolve_1x1_s8_fast(
    questions: Questions, channels: int, target: Target, purpose: str = "im2col"
) -> Path:
    """With Arm Compiler 6 and DSP instructions two pixels in int16, else pixels as they are."""
    buffered = target.instructions == "dsp" and target.compiler == "armclang"
    buffered &= not is_before(target, "conv_1x1_armclang")
    inner = "arm_nn_mat_mult_kernel_s8_s16" if buffered else "arm_nn_mat_mult_nt_t_s8"
    scratch = needed(2 * channels * _INT16 if buffered else 0, purpose)
    return questions.path("arm_convolve_1x1_s8_fast", inner, scratch=scratch)


def _arm_convolve_1_x_n_s8(questions: Questions, conv: ConvShape, target: Target) -> Path:
    """As the general convolution; with vectors only the padded ends of a line are copied."""
    name = "arm_convolve_1_x_n_s8"
    if target.instructions == "mve" and is_before(target, "conv_1_x_n_padding"):
        is_image = not line_splits(conv) and not is_before(target, "conv_1_x_n_corner")
        size = im2col_size_s8(conv, target) if is_image else 0
        return questions.path(name, "arm_nn_mat_mult_nt_t_s8", scratch=needed(size, "im2col"))
    if target.instructions != "mve" or not line_splits(conv):
        inner, size = ("arm_convolve_s8", product(conv, target)), im2col_size_s8(conv, target)
        return questions.path(name, *inner, scratch=needed(size, "im2col"))
    channels = conv.input.c
    left, right = conv.padding.w * channels, line_right_padding(conv) * channels
    window = conv.filter.w * channels
    size = max(window + left, window - channels + right)
    return questions.path(name, "arm_nn_mat_mult_nt_t_s8", scratch=needed(size, "im2col"))


def im2col_size_s8(conv: ConvShape, target: Target) -> int:
    """Two rows in int16; with vectors four in int8, in whole vectors."""
    if target.instructions == "mve":
        return 4 * align_up(columns(conv), 8 if is_before(target, "conv_s8_lanes") else 16)
    return 2 * align_up(columns(conv), 1 if is_before(target, "conv_s8_rows") else 4) * _INT16


def columns(conv: ConvShape) -> int:
    """Values in one im2col row that has all input channels (more than a group needs)."""
    return conv.filter.w * conv.filter.h * conv.input.c


def product(conv: ConvShape, target: Target) -> str:
    """Function that multiplies the im2col rows of ``arm_convolve_s8``."""
    if target.instructions == "mve":
        return "arm_nn_mat_mult_nt_t_s8"
    if conv.groups > 1:
        return "arm_nn_mat_mult_kernel_row_offset_s8_s16"
    return "arm_nn_mat_mult_kernel_s8_s16"


def arm_convolve_wrapper_s4(conv: ConvShape, target: Target) -> Path:
    """int4 weights."""
    questions = Questions("arm_convolve_wrapper_s4")
    if questions.hold("arm_convolve_1x1_s4", *one_by_one(conv, target)):
        fast = "_fast" if questions.hold("arm_convolve_1x1_s4_fast", strides_are_one(conv)) else ""
        return questions.path(f"arm_convolve_1x1_s4{fast}", "arm_nn_mat_mult_nt_t_s4")
    if questions.hold("arm_convolve_1_x_n_s4", *one_by_n(conv, target)):
        return questions.path("arm_convolve_1_x_n_s4")
    vectors = target.instructions == "mve"
    if vectors and questions.hold("arm_convolve_even_s4", row_is_even(conv)):
        return questions.path("arm_convolve_even_s4")
    return questions.path("arm_convolve_s4")


def arm_convolve_wrapper_s16(conv: ConvShape, target: Target) -> Path:
    """int16 activations: one function, two rows in int16; with vectors four, in whole vectors."""
    inner, size = "arm_nn_mat_mult_kernel_s16", 2 * columns(conv) * _INT16
    if target.instructions == "mve":
        inner, size = "arm_nn_mat_mult_nt_t_s16", 4 * align_up(columns(conv), 8) * _INT16
    if is_before(target, "conv_s16"):
        fast = target.instructions == "dsp" and columns(conv) < _FAST and not_dilated(conv).holds
        size = 2 * columns(conv) * _INT16 if fast else 0
    questions = Questions("arm_convolve_wrapper_s16")
    return questions.path("arm_convolve_s16", inner, scratch=needed(size, "im2col"))


# -- how near above the output the input may begin ---------------------------------------


def overlap(view: NodeView, position: int, path: Path, target: Target) -> Clearance | None:
    """Of int8 by int8, one image, no groups; see ``overlap_of``."""
    types = {view.input(0).type, view.input(1).type}
    if position != 0 or types != {TensorType.INT8}:
        return None
    channels, *taps, depth = view.input(1).shape
    window = window_over(view, tuple(taps), channels)
    if window is None or window.batches != 1 or window.depth != depth:
        return None
    return overlap_of(window, path, target)


def overlap_of(window: Sliding, path: Path, target: Target) -> Clearance | None:
    """By the loops of the function.

    ``arm_nn_mat_mult_nt_t_s8`` takes two output channels at a time through *all* rows that it is
    given; with vectors four rows at a time through all channels. Of im2col two pixels are copied
    before they are multiplied, with vectors four.
    """
    channels = window.channels
    if "arm_convolve_s8" in path.calls:
        return _group_by_group(window, 4 if target.instructions == "mve" else 2)
    if path.function == "arm_convolve_1x1_s8_fast":
        if "arm_nn_mat_mult_kernel_s8_s16" in path.calls:
            return _group_by_group(window, 2)
        return Clearance(window.furthest(lambda n: _product(n, window.positions, channels, target)))
    if path.function == "arm_convolve_1x1_s8":
        width = window.columns.outputs

        def written(position: Array) -> Array:
            row, column = position // width, position % width
            done: Array = row * width * channels + _product(column, width, channels, target)
            return done

        return Clearance(window.furthest(written))
    return None


def _group_by_group(window: Sliding, pixels: int) -> Clearance:
    """The clearance of a loop that reads the inputs of ``pixels`` outputs before it writes them."""
    return Clearance(window.furthest(lambda n: n // pixels * pixels * window.channels))


def _product(row: Array, rows: int, channels: int, target: Target) -> Array:
    """Outputs of ``arm_nn_mat_mult_nt_t_s8`` before a row is read for the last time."""
    if target.instructions == "mve":
        group = row // 4 * 4
        last = (group + 3) * channels + channels - 1 if channels > 1 else group
        return np.where(group + 4 <= rows, last, row * channels + (channels - 1) // 4 * 4)
    if channels == 1:
        return row
    if channels == 2:
        return row // 2 * 2 * channels
    others = (rows - 1) * channels + channels - 2 + channels % 2
    return np.full_like(row, others)


# -- conditions -------------------------------------------------------------------------


def one_by_one(conv: ConvShape, target: Target) -> tuple[Condition, ...]:
    """``arm_nn_is_convolve_1x1``: one tap that meets every pixel once, no groups."""
    taps, asked = conv.filter, list[Condition]()
    if is_before(target, "conv_1x1_strides"):
        asked.append(strides_are_one(conv))
    if is_before(target, "conv_1x1_channels"):
        channels = conv.input.c
        asked.append(Condition(f"channels are a multiple of 4: {channels}", channels % 4 == 0))
    return (
        *asked,
        Condition(f"padding is 0 x 0: {conv.padding}", conv.padding == Pair(0, 0)),
        Condition(f"the filter is 1 x 1: {taps.h} x {taps.w}", taps.h == taps.w == 1),
        not_dilated(conv),
        not_grouped(conv),
    )


def strides_are_one(conv: ConvShape) -> Condition:
    """``arm_nn_is_convolve_1x1_fast``."""
    return Condition(f"strides are 1 x 1: {conv.stride}", conv.stride == ONE)


def one_by_n(conv: ConvShape, target: Target) -> tuple[Condition, ...]:
    """``arm_nn_is_convolve_1_x_n``: along a line whose steps are whole 32-bit words."""
    step, asked = conv.stride.w * conv.input.c, list[Condition]()
    last = Condition(
        "horizontal stride times channels is a multiple of 4: "
        f"{conv.stride.w} * {conv.input.c} = {step}",
        step % 4 == 0,
    )
    if is_before(target, "conv_line_images"):
        asked = [
            Condition(f"the output has height 1: {conv.output.h}", conv.output.h == 1),
            Condition(f"there is one image: {conv.input.n}", conv.input.n == 1),
            Condition(f"vertical dilation is 1: {conv.dilation.h}", conv.dilation.h == 1),
        ]
    if is_before(target, "conv_line_steps"):
        width = conv.output.w
        last = Condition(f"the output's width is a multiple of 4: {width}", width % 4 == 0)
    return (
        Condition(f"the input has height 1: {conv.input.h}", conv.input.h == 1),
        Condition(f"the filter has height 1: {conv.filter.h}", conv.filter.h == 1),
        Condition(f"horizontal dilation is 1: {conv.dilation.w}", conv.dilation.w == 1),
        *asked,
        last,
        not_grouped(conv),
    )


def not_dilated(conv: ConvShape) -> Condition:
    """Taps lie next to each other."""
    return Condition(f"dilation is 1 x 1: {conv.dilation}", conv.dilation == ONE)


def not_grouped(conv: ConvShape) -> Condition:
    """The filter sees all channels."""
    return Condition(
        f"the filter has all input channels: {conv.filter.c} of {conv.input.c}",
        conv.filter.c == conv.input.c,
    )


def row_is_even(conv: ConvShape) -> Condition:
    """Two int4 make a byte."""
    count = columns(conv)
    return Condition(f"an im2col row is even: {count} values", count % 2 == 0)
