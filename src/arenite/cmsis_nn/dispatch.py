"""The paths that CMSIS-NN's wrappers take, with the conditions that decide.

Facts: CMSIS-NN ``Source/ConvolutionFunctions/*_wrapper_*.c``,
``Source/FullyConnectedFunctions/arm_fully_connected_wrapper_s8.c`` and what they call.
"""

from __future__ import annotations

from arenite.cmsis_nn import buffer_sizes as sizes
from arenite.cmsis_nn.path import Condition, Path, asked_for, path_to
from arenite.cmsis_nn.shapes import Convolution, FullyConnected
from arenite.cmsis_nn.targets import Target

NO_DILATION = "dilation is 1 x 1"


# -- convolution ----------------------------------------------------------------------


def arm_convolve_wrapper_s8(conv: Convolution, target: Target) -> Path:
    """CONV_2D with int8 weights."""
    outer = "arm_convolve_wrapper_s8"
    asked = asked_for("arm_convolve_1x1_s8", *one_by_one(conv))
    if sizes.is_convolve_1x1(conv):
        asked += asked_for("arm_convolve_1x1_s8_fast", strides_are_one(conv))
        if not sizes.is_convolve_1x1_fast(conv):
            return path_to("arm_convolve_1x1_s8", asked, "arm_nn_mat_mult_nt_t_s8", outer=outer)
        buffered = sizes.arm_convolve_1x1_s8_fast_get_buffer_size(conv.input.c, target)
        inner = "arm_nn_mat_mult_kernel_s8_s16" if buffered else "arm_nn_mat_mult_nt_t_s8"
        return path_to("arm_convolve_1x1_s8_fast", asked, inner, outer=outer)
    asked += asked_for("arm_convolve_1_x_n_s8", *one_by_n(conv))
    if sizes.is_convolve_1_x_n(conv):
        return path_to("arm_convolve_1_x_n_s8", asked, *_line_calls(conv, target), outer=outer)
    return path_to("arm_convolve_s8", asked, _product(conv, target), outer=outer)


def one_by_one(conv: Convolution) -> tuple[Condition, ...]:
    """What ``arm_nn_is_convolve_1x1`` asks."""
    taps = conv.filter
    return (
        Condition(f"padding is 0 x 0: {conv.padding}", conv.padding.w == conv.padding.h == 0),
        Condition(f"the filter is 1 x 1: {taps.h} x {taps.w}", taps.h == taps.w == 1),
        Condition(f"{NO_DILATION}: {conv.dilation}", conv.dilation.w == conv.dilation.h == 1),
        not_grouped(conv),
    )


def strides_are_one(conv: Convolution) -> Condition:
    """What ``arm_nn_is_convolve_1x1_fast`` asks."""
    return Condition(f"strides are 1 x 1: {conv.stride}", sizes.is_convolve_1x1_fast(conv))


def one_by_n(conv: Convolution) -> tuple[Condition, ...]:
    """What ``arm_nn_is_convolve_1_x_n`` asks."""
    step = conv.stride.w * conv.input.c
    return (
        Condition(f"the input has height 1: {conv.input.h}", conv.input.h == 1),
        Condition(f"the filter has height 1: {conv.filter.h}", conv.filter.h == 1),
        Condition(f"horizontal dilation is 1: {conv.dilation.w}", conv.dilation.w == 1),
        Condition(
            "horizontal stride times channels is a multiple of 4: "
            f"{conv.stride.w} * {conv.input.c} = {step}",
            step % 4 == 0,
        ),
        not_grouped(conv),
    )


def not_grouped(conv: Convolution) -> Condition:
    """The filter sees all channels."""
    return Condition(
        f"the filter has all input channels: {conv.filter.c} of {conv.input.c}",
        conv.filter.c == conv.input.c,
    )


def _product(conv: Convolution, target: Target) -> str:
    """What multiplies the im2col rows of ``arm_convolve_s8``."""
    if target.instructions == "mve":
        return "arm_nn_mat_mult_nt_t_s8"
    if conv.groups > 1:
        return "arm_nn_mat_mult_kernel_row_offset_s8_s16"
    return "arm_nn_mat_mult_kernel_s8_s16"


def _line_calls(conv: Convolution, target: Target) -> tuple[str, ...]:
    if target.instructions == "mve" and sizes.line_splits(conv):
        return ("arm_nn_mat_mult_nt_t_s8",)
    return ("arm_convolve_s8", _product(conv, target))


def arm_convolve_wrapper_s4(conv: Convolution, target: Target) -> Path:
    """CONV_2D with int4 weights."""
    outer = "arm_convolve_wrapper_s4"
    asked = asked_for("arm_convolve_1x1_s4", *one_by_one(conv))
    if sizes.is_convolve_1x1(conv):
        asked += asked_for("arm_convolve_1x1_s4_fast", strides_are_one(conv))
        fast = "_fast" if sizes.is_convolve_1x1_fast(conv) else ""
        return path_to(f"arm_convolve_1x1_s4{fast}", asked, "arm_nn_mat_mult_nt_t_s4", outer=outer)
    asked += asked_for("arm_convolve_1_x_n_s4", *one_by_n(conv))
    if sizes.is_convolve_1_x_n(conv):
        return path_to("arm_convolve_1_x_n_s4", asked, outer=outer)
    if target.instructions == "mve":
        count = sizes.columns(conv)
        even = Condition(f"an im2col row is even: {count} values", count % 2 == 0)
        asked += asked_for("arm_convolve_even_s4", even)
        if even.holds:
            return path_to("arm_convolve_even_s4", asked, outer=outer)
    return path_to("arm_convolve_s4", asked, outer=outer)


def arm_convolve_wrapper_s16(target: Target) -> Path:
    """CONV_2D with int16 activations: there is one function."""
    vectors = target.instructions == "mve"
    inner = "arm_nn_mat_mult_nt_t_s16" if vectors else "arm_nn_mat_mult_kernel_s16"
    return path_to("arm_convolve_s16", (), inner, outer="arm_convolve_wrapper_s16")


# -- depthwise convolution ------------------------------------------------------------


def arm_depthwise_conv_wrapper_s8(conv: Convolution, target: Target) -> Path:
    """DEPTHWISE_CONV_2D with int8 weights."""
    outer = "arm_depthwise_conv_wrapper_s8"
    asked: tuple[Condition, ...] = ()
    if target.instructions == "mve":
        asked = asked_for("arm_depthwise_conv_to_conv_s8", *_one_input_channel(conv, target))
        if all(condition.holds for condition in asked):
            calls = arm_convolve_wrapper_s8(sizes.as_convolution(conv), target).calls
            return path_to("arm_depthwise_conv_to_conv_s8", asked, *calls, outer=outer)
    plain = _plain_depthwise(conv)
    asked += asked_for("arm_depthwise_conv_s8_opt", *plain)
    if not all(condition.holds for condition in plain):
        return path_to("arm_depthwise_conv_s8", asked, _generic_loop(conv), outer=outer)
    if target.instructions != "mve":
        taps, pad = conv.filter, conv.padding
        asked += asked_for(
            "arm_depthwise_conv_3x3_s8",
            Condition(f"the filter is 3 x 3: {taps.h} x {taps.w}", (taps.h, taps.w) == (3, 3)),
            Condition(f"padding is at most 1 x 1: {pad}", pad.h <= 1 and pad.w <= 1),
        )
        if sizes.is_depthwise_3x3(conv):
            return path_to("arm_depthwise_conv_3x3_s8", asked, outer=outer)
    inner = {"plain": ("arm_depthwise_conv_s8",), "mve": ("arm_nn_depthwise_conv_nt_t_s8",)}
    calls = inner.get(target.instructions, ())
    return path_to("arm_depthwise_conv_s8_opt", asked, *calls, outer=outer)


def _one_input_channel(conv: Convolution, target: Target) -> tuple[Condition, ...]:
    threshold = 8 if target.compiler == "armclang" else 1
    return (
        Condition(f"the input has one channel: {conv.input.c}", conv.input.c == 1),
        Condition(
            f"the output has more than {threshold}: {conv.output.c}", conv.output.c > threshold
        ),
    )


def _plain_depthwise(conv: Convolution) -> tuple[Condition, ...]:
    return (
        Condition(f"the depth multiplier is 1: {conv.ch_mult}", conv.ch_mult == 1),
        Condition(f"there is one image: {conv.input.n}", conv.input.n == 1),
        Condition(f"{NO_DILATION}: {conv.dilation}", conv.dilation.w == conv.dilation.h == 1),
    )


def _generic_loop(conv: Convolution) -> str:
    """``arm_depthwise_conv_s8`` computes four output channels at a time where it can."""
    no_dilation = conv.dilation.w == conv.dilation.h == 1
    if conv.ch_mult % 4 == 0 and conv.input.n == 1 and no_dilation:
        return "depthwise_conv_s8_mult_4"
    return "depthwise_conv_s8_generic"


def arm_depthwise_conv_wrapper_s4(conv: Convolution) -> Path:
    """DEPTHWISE_CONV_2D with int4 weights."""
    asked = asked_for("arm_depthwise_conv_s4_opt", *_plain_depthwise(conv))
    optimised = all(condition.holds for condition in asked)
    function = "arm_depthwise_conv_s4_opt" if optimised else "arm_depthwise_conv_s4"
    return path_to(function, asked, outer="arm_depthwise_conv_wrapper_s4")


# -- transposed convolution, fully connected ------------------------------------------


def arm_transpose_conv_wrapper_s8(conv: Convolution, target: Target) -> Path:
    """TRANSPOSE_CONV with int8 activations."""
    outer = "arm_transpose_conv_wrapper_s8"
    threshold = sizes.REVERSE_TCOL_EFFICIENT_THRESHOLD
    asked = asked_for(
        "arm_convolve_s8",
        Condition(
            f"strides are at most 2 x 2: {conv.stride}", conv.stride.w <= 2 and conv.stride.h <= 2
        ),
        Condition(
            f"there are more than {threshold} input channels: {conv.input.c}",
            conv.input.c > threshold,
        ),
    )
    if sizes.reverses_filter(conv):
        return path_to("arm_convolve_s8", asked, _product(conv, target), outer=outer)
    return path_to("arm_transpose_conv_s8", asked, "arm_nn_transpose_conv_row_s8_s32", outer=outer)


def arm_fully_connected_wrapper_s8(layer: FullyConnected) -> Path:
    """FULLY_CONNECTED with int8 activations and weights."""
    outer = "arm_fully_connected_wrapper_s8"
    asked = asked_for(
        "arm_fully_connected_per_channel_s8",
        Condition("every unit has a scale of its own", layer.per_channel),
    )
    if layer.per_channel:
        inner = "arm_nn_vec_mat_mult_t_per_ch_s8"
        return path_to("arm_fully_connected_per_channel_s8", asked, inner, outer=outer)
    return path_to("arm_fully_connected_s8", asked, "arm_nn_vec_mat_mult_t_s8", outer=outer)


def fully_connected_s8(layer: FullyConnected, target: Target) -> Path:
    """FULLY_CONNECTED as TFLM's glue calls it: long rows of a larger tensor as 1x1 convolution."""
    asked = asked_for(
        "arm_convolve_1x1_s8_fast",
        Condition(f"the output has more than 2 dimensions: {layer.rank}", layer.rank > 2),
        Condition(f"the depth is a multiple of 4: {layer.depth}", layer.depth % 4 == 0),
    )
    if not all(condition.holds for condition in asked):
        return arm_fully_connected_wrapper_s8(layer).after(*asked)
    buffered = sizes.arm_convolve_1x1_s8_fast_get_buffer_size(layer.depth, target)
    inner = "arm_nn_mat_mult_kernel_s8_s16" if buffered else "arm_nn_mat_mult_nt_t_s8"
    return path_to("arm_convolve_1x1_s8_fast", asked, inner)
