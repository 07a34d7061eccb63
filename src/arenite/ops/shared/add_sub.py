"""ADD, SUB and SQUARED_DIFFERENCE: they rescale their inputs to a common scale.

Facts: TFLM ``micro/kernels/{add,sub}_common.cc``, ``reference/{add,sub}.h`` and
``reference/integer_ops/add.h``. ``pot_scale_int16`` has no effect in TFLM.
SUB's ratios of scales were in single precision up to August 2026.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.fast_init import quick
from arenite.model.types import FLOAT32, INT8, INT16, INT32
from arenite.numeric.fixedpoint import Int64Array, multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import kernel_util as util
from arenite.ops.context import Array, Context, Node, TfLiteTensor
from arenite.ops.shared.binary import arithmetic, resize_output

TYPES = (FLOAT32, INT8, INT16, INT32)


class AddOptions(OptionsTable, union=11):
    """``table AddOptions``."""

    fused_activation_function: int = slot(0, "int8")
    pot_scale_int16: bool = slot(1, "bool", True)


class SubOptions(OptionsTable, union=28):
    """``table SubOptions``."""

    fused_activation_function: int = slot(0, "int8")
    pot_scale_int16: bool = slot(1, "bool", True)


@quick
@dataclass(frozen=True)
class AddSubParams:
    """``sign`` is 1 or -1; offsets, multipliers and shifts are 0 for float32 and int32."""

    sign: int
    activation_min: float
    activation_max: float
    input1_offset: int = 0
    input2_offset: int = 0
    output_offset: int = 0
    left_shift: int = 0
    input1_multiplier: int = 0
    input1_shift: int = 0
    input2_multiplier: int = 0
    input2_shift: int = 0
    output_multiplier: int = 0
    output_shift: int = 0


def prepare_with(
    sign: int, int32_range: Callable[[int], tuple[int, int]]
) -> Callable[[Context, Node], AddSubParams]:
    """A ``prepare``; ``int32_range`` gives the bounds of a fused activation on int32."""

    def prepare(context: Context, node: Node) -> AddSubParams:
        activation = node.options.fused_activation_function
        inputs = util.input_tensor(context, node, 0), util.input_tensor(context, node, 1)
        output = util.output_tensor(context, node)
        resize_output(context, node)
        if output.type is FLOAT32:
            return AddSubParams(sign, *util.activation_range(activation))
        if output.type is INT32:
            return AddSubParams(sign, *int32_range(activation))
        return quantized_params(context, sign, activation, (*inputs, output))

    return prepare


def quantized_params(
    context: Context,
    sign: int,
    activation: int,
    tensors: tuple[TfLiteTensor, TfLiteTensor, TfLiteTensor],
) -> AddSubParams:
    """Parameters for int8 and int16 from the two inputs and the output."""
    input1, input2, output = tensors
    low, high = util.activation_range_quantized(context, activation, output)
    left_shift = 15 if output.type is INT16 else 20
    twice, first, second = common_scale(context, input1, input2)
    scaled = (1 << left_shift) * output.scale
    ratio = twice / scaled if scaled else math.inf
    last = util.requantization_below_one(
        context, ratio, f"2 * larger input / (2**{left_shift} * output)"
    )
    return AddSubParams(
        sign=sign,
        activation_min=low,
        activation_max=high,
        input1_offset=-input1.zero_point,
        input2_offset=-input2.zero_point,
        output_offset=output.zero_point,
        left_shift=left_shift,
        input1_multiplier=first[0],
        input1_shift=first[1],
        input2_multiplier=second[0],
        input2_shift=second[1],
        output_multiplier=last[0],
        output_shift=last[1],
    )


def common_scale(
    context: Context, input1: TfLiteTensor, input2: TfLiteTensor
) -> tuple[float, tuple[int, int], tuple[int, int]]:
    """Twice the larger scale, and the requantisation of either input to it."""
    scales = input1.scale, input2.scale
    twice = 2 * max(scales)
    ratios = [scale / twice if twice else math.nan for scale in scales]
    first = util.requantization_below_one(context, ratios[0], "input 0 / (2 * larger input)")
    second = util.requantization_below_one(context, ratios[1], "input 1 / (2 * larger input)")
    return twice, first, second


def add_sub_plain(params: AddSubParams, a: Array, b: Array) -> Array:
    """``a + sign * b``."""
    return np.asarray(a + b if params.sign > 0 else a - b)


def on_common_scale(
    params: AddSubParams, a: Int64Array, b: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Both inputs without their zero points, on the scale of twice the larger one."""
    scaled1 = multiply_by_quantized_multiplier(
        wrap_int32((a + params.input1_offset) << params.left_shift),
        params.input1_multiplier,
        params.input1_shift,
    )
    scaled2 = multiply_by_quantized_multiplier(
        wrap_int32((b + params.input2_offset) << params.left_shift),
        params.input2_multiplier,
        params.input2_shift,
    )
    return scaled1, scaled2


def add_sub_quantized(params: AddSubParams, a: Int64Array, b: Int64Array) -> Int64Array:
    """Both inputs on the scale of twice the larger one, added, and on the output's scale."""
    scaled1, scaled2 = on_common_scale(params, a, b)
    total = multiply_by_quantized_multiplier(
        wrap_int32(scaled1 + params.sign * scaled2), params.output_multiplier, params.output_shift
    )
    total += params.output_offset
    return np.clip(total, int(params.activation_min), int(params.activation_max))


invoke = arithmetic(add_sub_plain, add_sub_quantized)
