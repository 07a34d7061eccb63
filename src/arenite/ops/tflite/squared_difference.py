"""SQUARED_DIFFERENCE: the square of the difference of two inputs that broadcast.

Undefined in TFLM: differences and squares of int32 that int32 does not hold. Here they wrap.

Facts: TFLM ``micro/kernels/squared_difference.cc``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.model.types import FLOAT32, INT8, INT32
from arenite.numeric.fixedpoint import Int64Array, multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import COMPUTES, Array, Context, Node, Registration, Struct
from arenite.ops import kernel_util as util
from arenite.ops.shared.add_sub import TYPES, AddSubParams, common_scale, on_common_scale
from arenite.ops.shared.binary import arithmetic, constraints, int16_is_symmetric, resize_output
from arenite.ops.shared.overlap import element_by_element

ARITHMETIC_PARAMS = Struct(
    "ArithmeticParams",
    (
        *("uint8", ("int32", 4), "int", "int", "int32", "int", "int32", "int"),
        *("int32", "int32", "float", "float", "int64", "int64", "int16", "int16", ("int", 5)),
    ),
)


def prepare(context: Context, node: Node) -> AddSubParams:
    """Both inputs on a common scale, and the square of that on the output's."""
    input1, input2 = util.input_tensor(context, node, 0), util.input_tensor(context, node, 1)
    output = util.output_tensor(context, node)
    resize_output(context, node)
    plain = AddSubParams(sign=-1, activation_min=0, activation_max=0)
    if input1.type is FLOAT32:
        return replace(plain, activation_min=-np.inf, activation_max=np.inf)
    low, high = util.QUANTIZED_RANGE[input1.type]
    plain = replace(plain, activation_min=low, activation_max=high)
    if input1.type is INT32:
        return plain
    left_shift = 7 if input1.type is INT8 else 0
    twice, first, second = common_scale(context, input1, input2)
    with np.errstate(all="ignore"):
        ratio = float(twice * twice / ((1 << 2 * left_shift) * np.float64(output.scale)))
    formula = f"(2 * larger input)**2 / (2**{2 * left_shift} * output)"
    last = util.requantization(context, ratio, formula)
    return replace(
        plain,
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


def squared_plain(params: AddSubParams, a: Array, b: Array) -> Array:
    """``(a - b)**2``; int32 wraps."""
    return np.asarray((a - b) * (a - b))


def squared_quantized(params: AddSubParams, a: Int64Array, b: Int64Array) -> Int64Array:
    """The difference on the common scale, squared, on the output's scale."""
    scaled1, scaled2 = on_common_scale(params, a, b)
    difference = scaled1 - scaled2
    squared = multiply_by_quantized_multiplier(
        wrap_int32(difference * difference), params.output_multiplier, params.output_shift
    )
    moved = wrap_int32(squared + params.output_offset)
    return np.clip(moved, int(params.activation_min), int(params.activation_max))


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("OpData", ("bool", ARITHMETIC_PARAMS))),
    prepare=prepare,
    invoke=arithmetic(squared_plain, squared_quantized),
    overlap=element_by_element(0, 1),
    constraints=(*constraints(*TYPES), int16_is_symmetric),
)

SCHEME = COMPUTES
