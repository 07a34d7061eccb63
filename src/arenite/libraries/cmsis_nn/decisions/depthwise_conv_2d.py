"""DEPTHWISE_CONV_2D: 3 x 3, windows in memory, channel by channel, or an ordinary convolution.

Facts: CMSIS-NN ``Source/ConvolutionFunctions/arm_depthwise_conv_wrapper_*.c``, what they call and
``arm_depthwise_conv_get_buffer_sizes_*.c``. TFLM's ``Prepare`` leaves the strides open with which
it asks for the size of the scratch buffer; they matter for one input channel along a line on
targets with vectors only. Here they are the operator's.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.decisions.before import is_before, unpacked
from arenite.libraries.cmsis_nn.decisions.conv_2d import (
    arm_convolve_wrapper_s8,
    columns,
    not_dilated,
)
from arenite.libraries.cmsis_nn.decisions.conv_2d import overlap_of as conv_overlap_of
from arenite.libraries.path import Condition, Path, Questions, needed, path_to
from arenite.libraries.path import path_to_reference as to_reference
from arenite.libraries.shapes import ConvShape, Dims, depthwise_convolution
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.overlap import Clearance
from arenite.ops.shared.window_overlap import channel_by_channel, window_over
from arenite.target import Target

#: ``CH_IN_BLOCK_MVE``: channels that are computed together.
CH_IN_BLOCK_MVE = 124
_INT16 = 2


def decide(view: NodeView, target: Target) -> Path:
    """By the types of activations and weights."""
    match view.input(0).type:
        case TensorType.FLOAT32:
            return to_reference("DepthwiseConv")
        case TensorType.INT16:
            return path_to("arm_depthwise_conv_s16")
    conv = depthwise_convolution(view)
    path = arm_depthwise_conv_wrapper_s8(conv, target)
    if view.input(1).type is not TensorType.INT4:
        return path
    return unpacked(view, path, target) or arm_depthwise_conv_wrapper_s4(conv, target)


def arm_depthwise_conv_wrapper_s8(conv: ConvShape, target: Target) -> Path:
    """int8 weights."""
    questions = Questions("arm_depthwise_conv_wrapper_s8")
    vectors = target.instructions == "mve"
    converts = vectors and not is_before(target, "depthwise_one_channel")
    if converts and questions.hold(
        "arm_depthwise_conv_to_conv_s8", *one_input_channel(conv, target)
    ):
        return _arm_depthwise_conv_to_conv_s8(questions, conv, target)
    if not questions.hold("arm_depthwise_conv_s8_opt", *plain(conv)):
        return questions.path("arm_depthwise_conv_s8", _generic_loop(conv))
    if not vectors and questions.hold("arm_depthwise_conv_3x3_s8", *three_by_three(conv)):
        kept = target.instructions == "dsp" and is_before(target, "depthwise_3x3")
        size = _window_size(conv, target) if kept else 0
        return questions.path("arm_depthwise_conv_3x3_s8", scratch=needed(size, "window"))
    inner = {"plain": ("arm_depthwise_conv_s8",), "mve": ("arm_nn_depthwise_conv_nt_t_s8",)}
    calls = inner.get(target.instructions, ())
    size = 0 if target.instructions == "plain" else _window_size(conv, target)
    return questions.path("arm_depthwise_conv_s8_opt", *calls, scratch=needed(size, "window"))


def _arm_depthwise_conv_to_conv_s8(questions: Questions, conv: ConvShape, target: Target) -> Path:
    """One input channel is convolved with a turned filter, which lies behind the scratch."""
    inner = arm_convolve_wrapper_s8(as_convolution(conv), target)
    size = inner.scratch_size + conv.filter.c * conv.filter.h * conv.filter.w
    scratch = needed(size, "window")
    path = questions.path("arm_depthwise_conv_to_conv_s8", *inner.calls, scratch=scratch)
    return replace(path, inner=inner)


def as_convolution(conv: ConvShape) -> ConvShape:
    """A depthwise convolution of one channel as an ordinary convolution."""
    taps = conv.filter
    return replace(conv, filter=Dims(taps.c, taps.h, taps.w, taps.n), ch_mult=1)


def arm_depthwise_conv_wrapper_s4(conv: ConvShape, target: Target) -> Path:
    """int4 weights; a window is kept without DSP instructions, too."""
    questions = Questions("arm_depthwise_conv_wrapper_s4")
    if not questions.hold("arm_depthwise_conv_s4_opt", *plain(conv)):
        return questions.path("arm_depthwise_conv_s4")
    size = _window_size(conv, target)
    if is_before(target, "depthwise_s4_vectors"):
        size = columns(conv) * _INT16
    return questions.path("arm_depthwise_conv_s4_opt", scratch=needed(size, "window"))


def _window_size(conv: ConvShape, target: Target) -> int:
    """One window in int16; with vectors four blocks of channels in int8."""
    if target.instructions == "mve":
        if is_before(target, "depthwise_blocks"):
            return 4 * columns(conv) + 4
        return 4 * CH_IN_BLOCK_MVE * conv.filter.w * conv.filter.h
    return columns(conv) * _INT16


def _generic_loop(conv: ConvShape) -> str:
    """``arm_depthwise_conv_s8`` computes four output channels at a time where it can."""
    if conv.ch_mult % 4 == 0 and conv.input.n == 1 and not_dilated(conv).holds:
        return "depthwise_conv_s8_mult_4"
    return "depthwise_conv_s8_generic"


# -- how near above the output the input may begin ---------------------------------------


def overlap(view: NodeView, position: int, path: Path, target: Target) -> Clearance | None:
    """Of int8 by int8 and one image.

    With vectors four pixels of at most :data:`CH_IN_BLOCK_MVE` channels are copied before they are
    multiplied, and all pixels of these before the next channels: then an output that lies whole
    pixels below its input never reaches into channels that are to be read.
    """
    types = {view.input(0).type, view.input(1).type}
    if position != 0 or types != {TensorType.INT8}:
        return None
    _, *taps, channels = view.input(1).shape
    window = window_over(view, tuple(taps), channels)
    if window is None or window.batches != 1:
        return None
    if path.inner is not None:
        is_im2col = "arm_convolve_s8" in path.inner.calls
        return conv_overlap_of(window, path.inner, target) if is_im2col else None
    if path.function != "arm_depthwise_conv_s8_opt" or target.instructions != "mve":
        return channel_by_channel(window, view)
    ahead = window._replace(depth=1).furthest(lambda n: n // 4 * 4)
    return Clearance(ahead * channels, 1 if channels <= CH_IN_BLOCK_MVE else channels)


# -- conditions -------------------------------------------------------------------------


def one_input_channel(conv: ConvShape, target: Target) -> tuple[Condition, ...]:
    """Vectors make it an ordinary convolution."""
    threshold = 8 if target.compiler == "armclang" else 1
    return (
        Condition(f"the input has one channel: {conv.input.c}", conv.input.c == 1),
        Condition(
            f"the output has more than {threshold}: {conv.output.c}", conv.output.c > threshold
        ),
    )


def plain(conv: ConvShape) -> tuple[Condition, ...]:
    """One image, as many channels out as in, no dilation."""
    return (
        Condition(f"the depth multiplier is 1: {conv.ch_mult}", conv.ch_mult == 1),
        Condition(f"there is one image: {conv.input.n}", conv.input.n == 1),
        not_dilated(conv),
    )


def three_by_three(conv: ConvShape) -> tuple[Condition, ...]:
    """A 3 x 3 filter with a padding of at most 1."""
    taps, pad = conv.filter, conv.padding
    return (
        Condition(f"the filter is 3 x 3: {taps.h} x {taps.w}", (taps.h, taps.w) == (3, 3)),
        Condition(f"padding is at most 1 x 1: {pad}", pad.h <= 1 and pad.w <= 1),
    )
