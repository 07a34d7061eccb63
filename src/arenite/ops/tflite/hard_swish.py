"""HARD_SWISH: ``x * min(max(x + 3, 0), 6) / 6``.

Facts: TFLM ``micro/kernels/hard_swish.cc``, ``hard_swish_common.cc`` and
``reference/hard_swish.h``. The int8 kernel computes in 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arenite.model import OptionsTable
from arenite.model.types import FLOAT32, INT8
from arenite.numeric import lut
from arenite.numeric.fixedpoint import Array, Int64Array, bare_shift
from arenite.ops import COMPUTES_INT8, Context, Node, Registration, Struct, Traits, row_by_row
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.byte_tables import table_of
from arenite.ops.shared.overlap import element_by_element


class HardSwishOptions(OptionsTable, union=91):
    """``table HardSwishOptions``, which is empty."""


@dataclass(frozen=True)
class HardSwishParams:
    """16-bit multipliers from 1/128 input steps, and for int8 the results for all inputs.

    One leads to output steps, the other to 3/32768, where the range of the function's
    slope, [-3, 3], is all of int16. Exponents are shifts to the left.
    """

    input_zero_point: int = 0
    output_zero_point: int = 0
    reluish_multiplier: int = 0
    reluish_exponent: int = 0
    output_multiplier: int = 0
    output_exponent: int = 0
    table: Array = field(default_factory=lut.no_table)


OP_DATA = Struct("HardSwishParams", ("int16", "int16", "int16", "int", "int16", "int"))


def prepare(context: Context, node: Node) -> HardSwishParams:
    """Multipliers; for int8 the results for all 256 inputs."""
    inp, output = util.like_input(context, node)
    if inp.type is FLOAT32:
        return HardSwishParams()
    output_multiplier, output_exponent = util.requantization(
        context, util.scale_ratio(inp.scale / 128, output.scale), "input / 128 / output"
    )
    # TFLM rounds on its own here, whatever its build.
    output_exponent = int(bare_shift(output_exponent))
    if output_exponent > 0:
        context.report_error(
            f"the input's scale must be under 128 output scales, got {inp.scale:g} and "
            f"{output.scale:g}"
        )
    reluish_multiplier, reluish_exponent = util.requantization(
        context, inp.scale / 128 / (3 / 32768), "input / 128 / (3 / 32768)"
    )
    numbers = (
        inp.zero_point,
        output.zero_point,
        _to_int16(reluish_multiplier),
        int(bare_shift(reluish_exponent)),
        _to_int16(output_multiplier),
        output_exponent,
    )
    return HardSwishParams(*numbers, table_of("hard_swish", in_numpy, *numbers))


def in_numpy(*numbers: int) -> npt.NDArray[np.int8]:
    """The results for all int8 values, from the record's first six fields."""
    zero_point, output_zero_point, reluish, reluish_exponent, output, output_exponent = numbers
    zero_points = (zero_point, output_zero_point)
    params = HardSwishParams(*zero_points, reluish, reluish_exponent, output, output_exponent)
    return lut.table_int8(lambda x: hard_swish_int8(params, x))


def _to_int16(multiplier: int) -> int:
    """A Q0.31 multiplier as Q0.15 (``DownScaleInt32ToInt16Multiplier``)."""
    return min((multiplier + (1 << 15)) >> 16, 32767)


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: HardSwishParams = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if params.table.size:
        lut.take_int8(params.table, x, out)
    else:
        hard_swish_float(x, out)


def hard_swish_float(x: Array, out: Array) -> None:
    """In float32."""
    f = np.float32
    with np.errstate(all="ignore"):
        out[...] = x * np.clip(x + f(3), f(0), f(6)) / f(6)


def hard_swish_int8(params: HardSwishParams, x: Int64Array) -> Int64Array:
    """The input on the output's scale, times its slope's factor in [0, 1], in int16."""
    hires = _wrap_int16((x - params.input_zero_point) << 7)
    preshift = _doubling_high_mul_rounded(hires, params.output_multiplier)
    reluish = (_reluish(params, hires) + 32768) >> 1
    # Here the product is cut towards zero, which offsets the two roundings before it.
    product = _saturate_int16(np.trunc(reluish * preshift / 32768).astype(np.int64))
    result = _wrap_int16(_shift_right_rounded(product, -params.output_exponent))
    return np.clip(_wrap_int16(result + params.output_zero_point), -128, 127)


def _reluish(params: HardSwishParams, hires: Int64Array) -> Int64Array:
    """The input in steps of 3/32768, saturated, so that int16 is [-3, 3]."""
    exponent = params.reluish_exponent
    value = _saturate_int16(hires << max(exponent - 1, 0))
    value = _doubling_high_mul_rounded(value, params.reluish_multiplier)
    if exponent > 0:
        return _saturate_int16(value << 1)
    return _wrap_int16(_shift_right_rounded(value, -exponent))


def _doubling_high_mul_rounded(a: Int64Array, b: int) -> Int64Array:
    product: Int64Array = (a * b + (1 << 14)) >> 15
    return np.minimum(product, 32767)


def _shift_right_rounded(x: Int64Array, shift: int) -> Int64Array:
    """Gemmlowp's rounding shift of int16, whose mask of 16 or more bits becomes -1."""
    mask = (1 << shift) - 1 if shift < 16 else -1
    threshold = (mask >> 1) + (x < 0)
    shifted: Int64Array = (x >> shift) + ((x & mask) > threshold)
    return shifted


def _wrap_int16(x: Int64Array) -> Int64Array:
    return x.astype(np.int16).astype(np.int64)


def _saturate_int16(x: Int64Array) -> Int64Array:
    return np.clip(x, -32768, 32767)


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    options=HardSwishOptions,
    constraints=c.one_to_one(FLOAT32, INT8),
)

TRAITS = Traits(values="function", channels="same", elementwise=True)

SCHEME = COMPUTES_INT8
