"""RSQRT: one divided by the square root.

Of integers 0 gives the largest output, and less than the zero point is an error.

Undefined in TFLM: int16 without quantisation is computed with parameters that are never set: what
the arena held before decides. Here they are 0, as in an arena of zeros: all outputs but that of 0
are 0, and inputs under 0 are an error. Where a scale is 0, the output is its zero point,
as in TFLM's package. Where ``1 / (sqrt(input scale) * output scale)`` is under 2**-11, numbers
are shifted by more than 31 bits: x86 shifts by 32 fewer, after which TFLM adds 1, and so does
Arenite; for targets that round once it makes 0 of them.

Facts: TFLM ``micro/kernels/elementwise.cc``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from arenite.model.types import FLOAT32, INT8, INT16
from arenite.numeric import fixedpoint as fp
from arenite.numeric import lut
from arenite.numeric.fixedpoint import Array, Int64Array
from arenite.numeric.gemmlowp import inverse_sqrt
from arenite.ops import Context, Node, Registration, Scheme, TfLiteTensor
from arenite.ops import kernel_util as util
from arenite.ops.scheme import Pole
from arenite.ops.shared.abs_rsqrt import CONSTRAINTS, OP_DATA
from arenite.ops.shared.binary import is_quantized
from arenite.ops.shared.overlap import element_by_element

#: Why int16 without quantisation is refused where it is.
_UNSET = (
    ": TFLM never sets the zero point of int16 without quantisation, so that what its arena held "
    "before decides which inputs run; give input and output a quantisation"
)
#: Bits behind the point of a root.
_FRACTION = 20


@dataclass(frozen=True)
class RsqrtParams:
    """The results for all integers.

    ``table`` has those of int8 in the order of their bytes, ``table_int16`` those of 0, 1 and so
    on. Inputs under ``lowest`` are errors.
    """

    lowest: int = 0
    table: Array = field(default_factory=lut.no_table)
    table_int16: Array = field(default_factory=lambda: np.zeros(0, np.int16))


def prepare(context: Context, node: Node) -> RsqrtParams:
    """The output's shape; for integers the results for all inputs."""
    inp, output = util.like_input(context, node)
    if inp.type is FLOAT32:
        return RsqrtParams()
    multiplier, shift = _multiplier(context, inp, output)
    low, high = util.QUANTIZED_RANGE[inp.type]
    zero, offset = (inp.zero_point, output.zero_point) if is_quantized(inp) else (0, 0)
    roots = _roots(high - low if inp.type is INT8 else high, util.rounding_of(context))
    scaled = _rescale(roots, multiplier, shift)
    results = np.clip(fp.wrap_int32(scaled + offset), low, high)
    results[0] = high
    if inp.type is INT16:
        return RsqrtParams(table_int16=results.astype(np.int16))
    return RsqrtParams(
        lowest=zero, table=results[np.maximum(lut.INT8_VALUES - zero, 0)].astype(np.int8)
    )


def _multiplier(context: Context, inp: TfLiteTensor, output: TfLiteTensor) -> tuple[int, int]:
    if not is_quantized(inp):
        context.warn_undefined("TFLM never sets the parameters of int16 without quantisation")
        return 0, util.rounding_of(context)
    ratio = util.scale_ratio(1.0, math.sqrt(inp.scale) * output.scale)
    return util.requantization(context, ratio, "1 / (sqrt(input) * output)", most=30 + _FRACTION)


@cache
def _roots(high: int, rounding: int) -> Int64Array:
    """``1 / sqrt(x)`` of the integers from 0 to ``high``, with 20 bits behind the point."""
    multiplier, shift = inverse_sqrt(np.arange(high + 1))
    return fp.multiply_by_quantized_multiplier(1, multiplier, shift + _FRACTION + rounding)


def _rescale(roots: Int64Array, multiplier: int, shift: int) -> Int64Array:
    """The roots times the multiplier, without the bits behind the point."""
    right = _FRACTION - int(fp.bare_shift(shift))
    if right <= 31:
        return fp.multiply_by_quantized_multiplier(roots, multiplier, shift - _FRACTION)
    if fp.rounds_once(shift):
        return np.zeros_like(roots)
    high = fp.saturating_rounding_doubling_high_mul(roots, multiplier)
    return (high >> (right - 32)) + 1


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: RsqrtParams = node.params
    out = util.output_array(context, node)
    x = util.input_array(context, node, 0).reshape(out.shape)
    if x.dtype == np.float32:
        with np.errstate(all="ignore"):
            out[...] = 1 / np.sqrt(x)
        return
    if x.size and x.min() < params.lowest:
        why = "" if is_quantized(context.view_tensor(node.inputs[0])) else _UNSET
        context.report_error(f"expected inputs of at least {params.lowest}, got {x.min()}{why}")
    if x.dtype == np.int8:
        lut.take_int8(params.table, x, out)
    else:
        np.take(params.table_int16, x, out=out, mode="clip")


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    constraints=CONSTRAINTS,
)

SCHEME = Scheme(pole=Pole(0, steps=8))
