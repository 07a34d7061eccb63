"""Where CMSIS-NN reads memory that is no part of a tensor: what it computes there is not defined.

A sentence says what is read, and how a model gets around it; none where all is defined. Facts:
CMSIS-NN (July 2026) ``Source/ConvolutionFunctions/arm_convolve_s8.c``, ``arm_convolve_s4.c``,
``arm_convolve_s16.c``, ``arm_nn_mat_mult_kernel_s16.c``, ``arm_convolve_1_x_n_s8.c``,
``arm_convolve_1_x_n_s4.c``, ``arm_depthwise_conv_s4_opt.c`` and ``arm_transpose_conv_s8.c``; TFLM
``micro/kernels/cmsis_nn/fully_connected.cc``.
"""

from __future__ import annotations

from arenite.libraries.cmsis_nn.decisions.before import is_before
from arenite.libraries.cmsis_nn.decisions.conv_2d import columns
from arenite.libraries.cmsis_nn.decisions.depthwise_conv_2d import CH_IN_BLOCK_MVE
from arenite.libraries.cmsis_nn.decisions.line import line_sources, padded_positions
from arenite.libraries.cmsis_nn.decisions.transpose_conv import row_holds_columns, written_rows
from arenite.libraries.path import Path
from arenite.libraries.shapes import (
    ConvShape,
    convolution,
    depthwise_convolution,
    transpose_convolution,
)
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.target import Target

#: ``MAX_COL_COUNT``: products of int16 and int8 that are summed in 32 bits.
MAX_COL_COUNT = 512


def undefined_convolution(view: NodeView, path: Path, target: Target) -> str:
    """CONV_2D."""
    if not path.is_library:
        return ""
    conv, has_bias = convolution(view), _has_bias(view, 2)
    if conv.groups > 1:
        return _grouped(path.function, has_bias)
    if _sees_behind_line(conv, path, target):
        return (
            f"{path.function} reads behind the end of the line: pad the input with PAD, so that "
            "CONV_2D needs no padding of its own"
        )
    if path.function == "arm_convolve_s16" and has_bias and _sums_behind_row(view, conv, target):
        return (
            "arm_nn_mat_mult_kernel_s16 reads behind the last of an odd number of filters of more "
            f"than {MAX_COL_COUNT} weights, {columns(conv)} here: make the number of filters even"
        )
    return ""


def undefined_depthwise(view: NodeView, path: Path, target: Target) -> str:
    """DEPTHWISE_CONV_2D."""
    if path.function != "arm_depthwise_conv_s4_opt" or target.instructions != "mve":
        return ""
    conv = depthwise_convolution(view)
    in_fours = conv.output.h * conv.output.w >= 4
    if not in_fours or conv.output.c <= CH_IN_BLOCK_MVE or _has_bias(view, 2):
        return ""
    return (
        f"from channel {CH_IN_BLOCK_MVE} on arm_depthwise_conv_s4_opt reads a bias that is not "
        "there, from the first addresses of memory: give it a bias of zeros"
    )


def undefined_fully_connected(view: NodeView, path: Path, target: Target) -> str:
    """FULLY_CONNECTED."""
    if path.function != "arm_fully_connected_s16" or not _has_bias(view, 2):
        return ""
    bias = view.inputs[2]
    if bias is None or bias.type is TensorType.INT64:
        return ""
    return (
        f"arm_fully_connected_s16 reads the bias of {bias.type} as one of int64, behind its end: "
        "convert with a bias of int64"
    )


def undefined_transpose_conv(view: NodeView, path: Path, target: Target) -> str:
    """TRANSPOSE_CONV."""
    if path.function != "arm_transpose_conv_s8":
        return ""
    conv = transpose_convolution(view)
    if _flushes_whole_strides(conv, target):
        return (
            "arm_transpose_conv_s8 before 14 July 2026 (4a8f5b5d) writes rows to wrong places, and "
            f"leaves some unwritten, where padding above is no multiple of the stride: "
            f"{conv.padding.h} and {conv.stride.h} here. Ask for more rows without padding "
            "(VALID), and cut with SLICE"
        )
    rows = written_rows(conv).count
    if rows < conv.output.h:
        return (
            f"arm_transpose_conv_s8 writes {rows} rows of an image, not {conv.output.h}: ask for "
            "fewer, and add the others with PAD"
        )
    if row_holds_columns(conv):
        return ""
    width = (conv.input.w - 1) * conv.stride.w + max(conv.filter.w, conv.stride.w)
    return (
        f"arm_transpose_conv_s8 reads behind its sums: {conv.output.w} columns from column "
        f"{conv.padding.w} on are more than the input gives, {width}. Ask for fewer, and add "
        "the others with PAD"
    )


def _flushes_whole_strides(conv: ConvShape, target: Target) -> bool:
    """Rows are written by whole strides, once the padding is behind."""
    keeps_rows = not is_before(target, "transpose_conv_rows")
    is_uneven = conv.padding.h % conv.stride.h > 0
    return keeps_rows and is_uneven and is_before(target, "transpose_conv_flush")


def _grouped(function: str, has_bias: bool) -> str:
    if function != "arm_convolve_s8":
        return (
            f"{function} knows no groups and reads behind the filters: convolve each group by "
            "itself"
        )
    if has_bias:
        return ""
    return (
        "from the second group on arm_convolve_s8 reads a bias that is not there, from the first "
        "addresses of memory: give it a bias of zeros"
    )


def _sees_behind_line(conv: ConvShape, path: Path, target: Target) -> bool:
    if target.instructions != "mve":
        return False
    if path.function == "arm_convolve_1_x_n_s8" and "arm_convolve_s8" not in path.calls:
        return line_sources(conv) is None
    return path.function == "arm_convolve_1_x_n_s4" and _int4_sees_behind(conv)


def _int4_sees_behind(conv: ConvShape) -> bool:
    """int4 leaves padding out; it asks for the line's end at the right alone."""
    left, right = padded_positions(conv)
    taps = conv.filter.w - conv.padding.w if left else 0
    furthest = (left - 1) * conv.stride.w + taps if left else 0
    if left < conv.output.w - right:
        last = conv.output.w - right - 1
        furthest = max(furthest, last * conv.stride.w - conv.padding.w + conv.filter.w)
    return furthest > conv.input.w


def _sums_behind_row(view: NodeView, conv: ConvShape, target: Target) -> bool:
    """The last of an odd number of filters goes on behind its own weights, for pairs of pixels."""
    bias = view.inputs[2]
    wide = bias is not None and bias.type is TensorType.INT64
    pairs = conv.output.h * conv.output.w > 1
    odd = conv.output.c % 2 == 1 and columns(conv) % 4 > 0
    return target.instructions == "dsp" and wide and pairs and odd and columns(conv) > MAX_COL_COUNT


def _has_bias(view: NodeView, index: int) -> bool:
    return len(view.inputs) > index and view.inputs[index] is not None
