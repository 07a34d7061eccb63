"""TRANSPOSE_CONV: TFLM ``micro/kernels/cmsis_nn/transpose_conv.cc``.

``arm_transpose_conv_s8`` keeps as many rows of sums as the filter has, and writes what is finished
(:func:`~arenite.libraries.cmsis_nn.decisions.transpose_conv.written_rows`). With small images under
large filters it writes other rows than the reference's. Where it would write behind the output or
its scratch buffer, the model is refused. Where it writes fewer rows than the output has, or reads
behind a row of sums, the reference's results are computed, with a warning.

A fused activation has no effect on integers (``kTfLiteActNone``), unlike in the reference.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.decisions.transpose_conv import (
    BIAS,
    INPUT,
    buffer_holds_sums,
    decide,
    reverses_filter,
    written_rows,
)
from arenite.libraries.cmsis_nn.decisions.undefined import undefined_transpose_conv
from arenite.libraries.glue import Glue, OwnBits
from arenite.libraries.path import Path
from arenite.libraries.shapes import transpose_convolution
from arenite.memory.abi import Struct
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.ops import Context, Node, NodeView
from arenite.ops import kernel_util as util
from arenite.ops.tflite.transpose_conv import CONV_PARAMS, TransposeConvParams

OP_DATA = Struct("OpData", (CONV_PARAMS, "int", "int", "int", "pointer", "pointer"))
_WEIGHTS = 1


def allocate(context: Context, node: Node, path: Path) -> None:
    """Tensors and requantisation per channel; tensors again in ``CalculateOpData``."""
    util.output_tensor(context, node)
    inp = util.input_tensor(context, node, INPUT)
    weights = util.input_tensor(context, node, _WEIGHTS)
    context.reserve_persistent_buffer(4 * weights.shape[0], "per-channel multipliers")
    context.reserve_persistent_buffer(4 * weights.shape[0], "per-channel shifts")
    if inp.type is not FLOAT32:
        util.input_tensor(context, node, INPUT)
        util.input_tensor(context, node, _WEIGHTS)
        util.optional_input_tensor(context, node, BIAS)
        util.output_tensor(context, node)


def int16_has_a_bias(node: NodeView) -> bool:
    """With CMSIS-NN int16 activations need a bias: TFLM looks at its type without asking."""
    bias = node.inputs[BIAS] if len(node.inputs) > BIAS else None
    return node.input(INPUT).type is not INT16 or bias is not None


def sums_fit(node: NodeView) -> bool:
    """With CMSIS-NN the horizontal stride is no larger than both filter and vertical stride."""
    return not _scatters(node) or buffer_holds_sums(transpose_convolution(node))


def rows_fit(node: NodeView) -> bool:
    """With CMSIS-NN the output has the rows that the strides give: all of them are written."""
    if not _scatters(node):
        return True
    conv = transpose_convolution(node)
    return written_rows(conv).count <= conv.output.h


def _scatters(node: NodeView) -> bool:
    is_int8 = node.input(INPUT).type is INT8
    conditions = reverses_filter(transpose_convolution(node)) if is_int8 else ()
    return is_int8 and not all(condition.holds for condition in conditions)


def own(view: NodeView, params: TransposeConvParams, path: Path) -> TransposeConvParams:
    """No activation of integers; the rows that are written, and what is in them."""
    kind = view.output(0).type
    if kind is not FLOAT32:
        low, high = util.QUANTIZED_RANGE[kind]
        params = replace(params, activation_min=low, activation_max=high)
    conv = transpose_convolution(view)
    if "arm_nn_transpose_conv_row_s8_s32" not in path.calls:  # before November 2024: all rows
        return params
    rows = written_rows(conv)
    return replace(
        params,
        padding=(rows.padding, conv.padding.w),
        image_rows=rows.count,
        summed_rows=rows.summed,
    )


GLUE = Glue(
    decide,
    op_data=OP_DATA,
    allocate=allocate,
    constraints=(int16_has_a_bias, sums_fit, rows_fit),
    bits=OwnBits(TransposeConvParams, own),
    undefined=undefined_transpose_conv,
)
