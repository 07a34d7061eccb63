"""Common parts of LOGISTIC and TANH: how their integer kernels read the input.

Facts: TFLM ``micro/kernels/logistic_common.cc``, ``micro/kernels/tanh.cc``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arenite.model.types import FLOAT32, INT8, INT16
from arenite.numeric import fixedpoint as fp
from arenite.numeric import gemmlowp, lut
from arenite.numeric.fixedpoint import Array, Int64Array
from arenite.ops import constraints as c
from arenite.ops.context import Context, TfLiteTensor
from arenite.ops.shared.byte_tables import table_of
from arenite.ops.shared.softmax import input_radius

#: Integer bits of the int8 kernels' scaled input.
INPUT_BITS = 4
#: Functions of fixed-point numbers by name, how many of the most significant bits of their results
#: below the sign are kept, and the output's zero point.
FUNCTIONS: dict[str, tuple[Callable[[Int64Array, int], Int64Array], int, int]] = {
    "logistic": (gemmlowp.logistic, 8, -128),
    "tanh": (gemmlowp.tanh, 7, 0),
}


@dataclass(frozen=True)
class SigmoidParams:
    """The four values of TFLM's ``OpData``, and for int8 the results for all inputs.

    int8: ``|input - zero_point| < radius`` is scaled to Q4.27; other inputs saturate.
    int16: see :func:`arenite.numeric.lut.logistic_int16`. float32 needs none.
    """

    input_zero_point: int = 0
    input_range_radius: int = 0
    input_multiplier: int = 0
    input_left_shift: int = 0
    table: Array = field(default_factory=lut.no_table)


def int16_is_symmetric(node: c.NodeView) -> bool:
    """int16 has zero points 0 and the output scale 2**-15."""
    inp, output = node.input(0), node.output(0)
    if inp.type is not INT16:
        return True
    if output.scale <= 0 or inp.zero_point or output.zero_point:
        return False
    return checked_log2(output.scale) == (-15, True)


CONSTRAINTS = (
    *c.one_to_one(FLOAT32, INT8, INT16),
    int16_is_symmetric,
)


def checked_log2(x: float) -> tuple[int, bool]:
    """The nearest power of two's exponent, and whether ``x`` is one to 0.1 % of the exponent.

    ``CheckedLog2``, in float32.
    """
    if not x:
        return fp.INT32_MIN, False
    f = np.float32
    log2 = f(math.log(x)) * (f(1) / f(math.log(2)))
    rounded = fp.round_half_away(float(log2))
    return rounded, bool(abs(log2 - f(rounded)) < f(1e-3))


def int8_params(context: Context, inp: TfLiteTensor, function: str) -> SigmoidParams:
    """Parameters and table of a function in :data:`FUNCTIONS`."""
    fraction, shift = math.frexp(inp.scale * (1 << (31 - INPUT_BITS)))
    if shift < 0 or not math.isfinite(inp.scale):
        context.report_error(f"the input's scale must be at least 2**-28, got {inp.scale:g}")
    scaling = (
        inp.zero_point,
        input_radius(INPUT_BITS, shift),
        fp.round_half_away(fraction * 2**31),
    )
    is_tanh = function == "tanh"
    return SigmoidParams(*scaling, shift, table_of("sigmoid", in_numpy, is_tanh, *scaling, shift))


def in_numpy(
    is_tanh: bool, zero_point: int, radius: int, multiplier: int, shift: int
) -> npt.NDArray[np.int8]:
    """A function in :data:`FUNCTIONS` of all int8 values."""
    function, output_bits, output_zero_point = FUNCTIONS["tanh" if is_tanh else "logistic"]

    def kernel(x: Int64Array) -> Int64Array:
        centred = x - zero_point
        inside = np.abs(centred) < radius
        scaled = fp.multiply_by_quantized_multiplier(
            np.where(inside, centred, 0), multiplier, shift
        )
        result = fp.rounding_divide_by_pot(function(scaled, INPUT_BITS), 31 - output_bits)
        clipped = np.clip(result + output_zero_point, -128, 127)
        saturated = np.where(centred <= -radius, -128, 127)
        return np.where(inside, clipped, saturated)

    return lut.table_int8(kernel)


def int16_params(
    context: Context, inp: TfLiteTensor, power_of_two_shifts: tuple[int, ...]
) -> SigmoidParams:
    """Multiplier and right shift from input steps to units of ``1 / (3 * 4096)``.

    Input scales of ``2**(s - 12)``, for the given shifts s, need no multiplier.
    """
    log2, is_power_of_two = checked_log2(inp.scale)
    if is_power_of_two and log2 + 12 in power_of_two_shifts:
        return SigmoidParams(input_left_shift=log2 + 12)
    multiplier, shift = inp.scale * 4096.0 * 3.0, 0
    while multiplier <= 32767.0 / 2.0 and shift <= 30:
        multiplier, shift = multiplier * 2.0, shift + 1
    if multiplier > fp.INT32_MAX:
        context.report_error(f"the input's scale must be under 2**17, got {inp.scale:g}")
    return SigmoidParams(input_multiplier=int(multiplier), input_left_shift=shift)
