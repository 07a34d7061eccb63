"""MUL: the elementwise product of two inputs that broadcast, with a fused activation.

Facts: TFLM ``micro/kernels/mul.cc``, ``mul_common.cc``, ``reference/mul.h`` and
``reference/integer_ops/mul.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT32
from arenite.numeric.fixedpoint import Int64Array, multiply_by_quantized_multiplier, wrap_int32
from arenite.ops import Array, Registration, Scheme, Struct, Traits
from arenite.ops.kernel_util import allocate_struct
from arenite.ops.shared.binary import arithmetic, constraints, int16_is_symmetric
from arenite.ops.shared.cases import binary_cases
from arenite.ops.shared.mul_div import MulDivParams, prepare_with
from arenite.ops.shared.overlap import element_by_element


class MulOptions(OptionsTable, union=21):
    """``table MulOptions``."""

    fused_activation_function: int = slot(0, "int8")


def mul_plain(params: MulDivParams, a: Array, b: Array) -> Array:
    """``a * b``."""
    return np.asarray(a * b)


def mul_quantized(params: MulDivParams, a: Int64Array, b: Int64Array) -> Int64Array:
    """``activation(requantise((a - zero1) * (b - zero2)) + zero)``."""
    product = wrap_int32((a + params.input1_offset) * (b + params.input2_offset))
    result = multiply_by_quantized_multiplier(
        product, params.output_multiplier, params.output_shift
    )
    moved = wrap_int32(result + params.output_offset)
    return np.clip(moved, int(params.activation_min), int(params.activation_max))


REGISTRATION = Registration(
    init=allocate_struct(Struct("OpDataMul", ("int32",) * 7 + ("float", "float"))),
    prepare=prepare_with(lambda a, b, out: a * b / out, "input 0 * input 1 / output"),
    invoke=arithmetic(mul_plain, mul_quantized),
    overlap=element_by_element(0, 1),
    options=MulOptions,
    builtin_data=Struct("TfLiteMulParams", ("enum",)),
    constraints=(
        *constraints(FLOAT32, INT8, INT16, INT32),
        int16_is_symmetric,
    ),
)

TRAITS = Traits(
    values="corners",
    channels="broadcast",
    elementwise=True,
    fuses_clamp=True,
    drawn="add",
    compiled="products of int32 that leave 32 bits wrap in TFLM; what the NPU does is guessed",
)

SCHEME = Scheme(affine="multiplies")

CASES = binary_cases("MUL", MulOptions)
