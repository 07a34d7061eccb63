"""CONV_2D: esp-tflite-micro ``micro/kernels/esp_nn/conv.cc``.

Scratch memory is asked for wherever the input is int8, also where TFLM's reference runs: for
dilated filters and int4 weights.
"""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch import faults, scratch
from arenite.libraries.esp_nn.dispatch.paths import is_int8, one_buffer, overlap, to_kernel
from arenite.libraries.esp_nn.dispatch.versions import glue_since, since
from arenite.libraries.esp_nn.operators._op_data import CONVOLUTION
from arenite.libraries.glue import Glue
from arenite.libraries.path import Condition, Path, Questions
from arenite.libraries.shapes import ONE, ConvShape, convolution
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By types and dilation; then by the chip's conditions, which decide on memory."""
    questions = Questions()
    if view.input(0).type is not TensorType.INT8:
        questions.hold("esp_nn_conv_s8", is_int8(view, 0, 1))
        return questions.reference("Conv")
    conv = convolution(view)
    parts = scratch.conv_2d(conv, target)
    dilation = Condition(f"filters are not dilated: {conv.dilation}", conv.dilation == ONE)
    if not questions.hold("esp_nn_conv_s8", is_int8(view, 0, 1), dilation):
        return questions.reference("ConvPerChannel", scratch=one_buffer(parts))
    if target.instructions != "plain":
        _ask(questions, conv, target)
    if _falls_back(conv, target):
        told = (
            f"esp-tflite-micro is 1.3.7 or later, and tells filters' depth: {target.glue_version}"
        )
        questions.hold("more than plain C from ESP-NN 1.2.3 on", Condition(told, holds=False))
        return questions.path("esp_nn_conv_s8_ansi", scratch=one_buffer(parts))
    return to_kernel(questions, "conv", target, parts)


def _falls_back(conv: ConvShape, target: Target) -> bool:
    """Whether ESP-NN takes filters whose depth it is not told for grouped ones: 10 times slower.

    Generic C looks at 1x1 filters first.
    """
    if not since(target, "1.2.3") or glue_since(target, "1.3.7"):
        return False
    return target.instructions != "plain" or (conv.filter.h, conv.filter.w) != (1, 1)


def _ask(questions: Questions, conv: ConvShape, target: Target) -> None:
    """Choice that decides on the memory of a chip's own kernel."""
    taps, stride, pad = conv.filter, conv.stride, conv.padding
    values = f"{taps.h} x {taps.w}, steps {stride}, padding {pad}"
    pointwise = Condition(
        f"filters are 1 x 1 with steps of 1, no padding: {values}", scratch.is_pointwise(conv)
    )
    if questions.hold("its 1x1 kernel", pointwise):
        return
    row = taps.w * conv.input.c
    short = Condition(
        f"a filter's row is less than 16 bytes, all rows are more: {row}, {row * taps.h}",
        scratch.has_short_rows(conv),
    )
    newer = Condition(
        f"ESP-NN is 1.2.1 or later: {target.library_version}",
        since(target, "1.2.1"),
    )
    if target.instructions == "pie" and not questions.hold("its im2col", newer, short):
        down, right = (max(0, steps) for steps in scratch.overhang(conv))
        over = Condition(
            f"windows leave the image below or at the right: by {down}, {right}",
            bool(down or right),
        )
        questions.hold("a copy of filters and image (1.2.1 and later)", newer, over)


GLUE = Glue(
    decide,
    op_data=CONVOLUTION,
    constraints=(faults.int8_has_a_bias,),
    overlap=overlap,
    undefined=faults.convolution_faults,
)
