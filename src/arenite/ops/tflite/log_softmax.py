"""LOG_SOFTMAX: ``x - log(sum(exp(x)))`` along the last axis.

Facts: TFLM ``micro/kernels/log_softmax.cc`` and ``reference/log_softmax.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8
from arenite.numeric import fixedpoint as fp
from arenite.numeric import gemmlowp
from arenite.numeric.fixedpoint import Array
from arenite.ops import Context, FixedQuantization, Node, Registration, Scheme, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared import softmax as shared
from arenite.ops.traits import Saturation


class LogSoftmaxOptions(OptionsTable, union=36):
    """``table LogSoftmaxOptions``, which is empty."""


@dataclass(frozen=True)
class LogSoftmaxParams:
    """int8: scaling of differences from the row's maximum, and back; float32 needs none.

    ``exp_table`` holds the exponential of ``-i`` input steps (i = 0 .. 255), without
    integer bits. Differences under ``diff_min`` do not count.
    """

    input_multiplier: int
    input_left_shift: int
    reverse_multiplier: int
    reverse_shift: int
    diff_min: int
    exp_table: Array


OP_DATA = Struct("LogSoftmaxOpData", ("int32",) * 4 + ("int", "size_t", "size_t"))

_OUTPUT_BITS = 4


def same_shapes(node: c.NodeView) -> bool:
    """Input and output have the same shape, of at least one dimension."""
    shape = node.input(0).shape
    return len(shape) > 0 and shape == node.output(0).shape


def output_quantization(node: c.NodeView) -> bool:
    """An int8 output has scale 1/16 and zero point 127: the range [-16, 0]."""
    output = node.output(0)
    if output.type is not INT8:
        return True
    return output.scale == 1 / 16 and output.zero_point == 127


def prepare(context: Context, node: Node) -> LogSoftmaxParams | None:
    """Input scaling for int8."""
    inp, _ = util.like_input(context, node)
    if inp.type is FLOAT32:
        return None
    context.reserve_persistent_buffer(OP_DATA.size(context.abi), OP_DATA.name)
    multiplier, shift = shared.difference_scaling(context, 1.0, inp)
    reverse = util.requantization_below_one(
        context, (1 << (31 - shift)) / multiplier, "1 / (input * 2**26)"
    )
    return LogSoftmaxParams(
        input_multiplier=multiplier,
        input_left_shift=shift,
        reverse_multiplier=reverse[0],
        reverse_shift=reverse[1],
        diff_min=-shared.input_radius(shared.DIFFERENCE_BITS, shift),
        exp_table=shared.difference_table(multiplier, shift),
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if x.dtype == np.float32:
        log_softmax_float(x, out)
    else:
        log_softmax_int8(context, node.params, x, out)


def log_softmax_float(x: Array, out: Array) -> None:
    """In float32, with the row's largest value subtracted first."""
    with np.errstate(all="ignore"):
        centred = x - shared.row_maximum(x)
        np.subtract(centred, np.log(np.exp(centred).sum(axis=-1, keepdims=True)), out=out)


def log_softmax_int8(context: Context, params: LogSoftmaxParams, x: Array, out: Array) -> None:
    """In fixed point: differences and the sum's logarithm have five integer bits."""
    difference = np.subtract(x, shared.row_maximum(x), dtype=np.int64)
    exponentials = gemmlowp.rescale(params.exp_table[-difference], 0, shared.ACCUMULATION_BITS)
    total = exponentials.sum(axis=-1, keepdims=True)
    if total.max(initial=0) >= 1 << 31:
        context.report_error(
            f"the sum of exponentials of a row of {x.shape[-1]} values is too large: it must "
            f"be less than {1 << shared.ACCUMULATION_BITS}"
        )
    log_total = gemmlowp.log(total, shared.ACCUMULATION_BITS, shared.DIFFERENCE_BITS)
    smallest = fp.multiply_by_quantized_multiplier(
        log_total + fp.INT32_MIN, params.reverse_multiplier, params.reverse_shift
    )
    scaled = fp.multiply_by_quantized_multiplier(
        difference, params.input_multiplier, params.input_left_shift
    )
    result = 127 + fp.rounding_divide_by_pot(
        fp.wrap_int32(scaled - log_total), 31 - shared.DIFFERENCE_BITS - _OUTPUT_BITS
    )
    in_range = difference > np.maximum(params.diff_min - 1, smallest)
    out[...] = np.where(in_range, np.clip(result, -128, 127), -128)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=LogSoftmaxOptions,
    constraints=(
        *c.one_to_one(FLOAT32, INT8),
        same_shapes,
        output_quantization,
    ),
)

TRAITS = Traits(fixed_output=True, saturation=Saturation(-24.0, of="row"))

SCHEME = Scheme(types=(INT8,), fixed={INT8: FixedQuantization(16 / 256, 127)})
