"""TRANSPOSE_CONV: scattered rows, or a convolution with the reversed filter.

Facts: CMSIS-NN ``Source/ConvolutionFunctions/arm_transpose_conv_wrapper_s8.c``,
``arm_transpose_conv_s8.c`` and ``arm_transpose_conv_get_buffer_sizes_s8.c``; TFLM
``micro/kernels/cmsis_nn/transpose_conv.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

from arenite.libraries.cmsis_nn.decisions.before import is_before
from arenite.libraries.cmsis_nn.decisions.conv_2d import columns, im2col_size_s8, product
from arenite.libraries.path import Condition, Path, Questions, Scratch, path_to_reference
from arenite.libraries.shapes import ConvShape, transpose_convolution
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target

#: ``REVERSE_TCOL_EFFICIENT_THRESHOLD``: from more input channels on, a transposed
#: convolution is computed as a convolution with the reversed filter.
REVERSE_TCOL_EFFICIENT_THRESHOLD = 16
INPUT, BIAS = 2, 3
_INT32 = 4


def decide(view: NodeView, target: Target) -> Path:
    """int8 goes to CMSIS-NN; int16 needs sums, and a bias in 64 bits."""
    match view.input(INPUT).type:
        case TensorType.INT8:
            return arm_transpose_conv_wrapper_s8(transpose_convolution(view), target)
        case TensorType.INT16:
            bias = view.inputs[BIAS] if len(view.inputs) > BIAS else None
            wanted = [Scratch(8 * view.output(0).size, "sums")]
            if bias is not None and bias.type is TensorType.INT16:
                wanted.append(Scratch(8 * bias.size, "bias in 64 bits"))
            return path_to_reference("TransposeConv", tuple(wanted))
    return path_to_reference("TransposeConv")


def arm_transpose_conv_wrapper_s8(conv: ConvShape, target: Target) -> Path:
    """Two buffers, the second of which may be empty."""
    questions = Questions("arm_transpose_conv_wrapper_s8")
    if is_before(target, "transpose_conv_rows"):
        products = conv.filter.w * conv.filter.h * conv.input.w * conv.input.h * conv.output.c
        outputs = conv.output.h * conv.output.w * conv.output.c
        kept = Scratch(products * _INT32, "sums"), Scratch(outputs * _INT32, "outputs")
        return questions.path("arm_transpose_conv_s8", scratch=kept)
    if questions.hold("arm_convolve_s8", *reverses_filter(conv)):
        scratch = _buffers(im2col_size_s8(conv, target), columns(conv) * conv.filter.n)
        return questions.path("arm_convolve_s8", product(conv, target), scratch=scratch)
    # CMSIS-NN compares the filter's width with the vertical stride, too.
    sums = _width(conv, conv.stride.h) * conv.output.c * max(conv.filter.h, conv.stride.h) * _INT32
    inner = "arm_nn_transpose_conv_row_s8_s32"
    return questions.path("arm_transpose_conv_s8", inner, scratch=_buffers(sums, 0))


@dataclass(frozen=True)
class WrittenRows:
    """Rows that ``arm_transpose_conv_s8`` writes of an image.

    Attributes:
        count: Its rows of output, which the next image's follow.
        padding: Rows of products above the first of them.
        summed: How many of them hold products, not the bias alone.
    """

    count: int
    padding: int
    summed: int


def written_rows(conv: ConvShape) -> WrittenRows:
    """Rows are written as the input's finish them, then as many as the filter has left over.

    Padding above that is more than all rows of the input give is taken away from what is left
    twice: once when products are added, once more when they are written. Rows below the
    output's last but one have got no products.
    """
    finished = conv.input.h * conv.stride.h - conv.padding.h
    last = min(conv.filter.h - conv.stride.h, conv.output.h - finished)
    count = max(0, finished) + max(0, last - max(0, -finished))
    if finished >= 0:
        return WrittenRows(count, conv.padding.h, count)
    summed = min(count, max(0, conv.output.h + finished + 1))
    return WrittenRows(count, conv.padding.h - finished, summed)


def row_holds_columns(conv: ConvShape) -> bool:
    """Whether a row of sums is as long as what is read of it."""
    return conv.padding.w + conv.output.w <= _width(conv, conv.stride.w)


def buffer_holds_sums(conv: ConvShape) -> bool:
    """Whether the scratch buffer is as large as what is written into it."""
    return conv.stride.w <= max(conv.filter.w, conv.stride.h)


def _width(conv: ConvShape, stride: int) -> int:
    """Columns of sums."""
    return (conv.input.w - 1) * conv.stride.w + max(conv.filter.w, stride)


def _buffers(sums: int, reverse: int) -> tuple[Scratch, ...]:
    return Scratch(sums, "sums"), Scratch(reverse, "reversed filter")


def reverses_filter(conv: ConvShape) -> tuple[Condition, ...]:
    """Small strides, many channels."""
    threshold = REVERSE_TCOL_EFFICIENT_THRESHOLD
    return (
        Condition(
            f"strides are at most 2 x 2: {conv.stride}", conv.stride.w <= 2 and conv.stride.h <= 2
        ),
        Condition(
            f"there are more than {threshold} input channels: {conv.input.c}",
            conv.input.c > threshold,
        ),
    )
