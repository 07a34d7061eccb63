"""SOFTMAX: ``exp(beta * x)`` along the last axis, divided by its sum.

Facts: TFLM ``micro/kernels/softmax.cc``, ``softmax_common.cc`` and ``reference/softmax.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.fast_init import quick
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.numeric import fixedpoint as fp
from arenite.numeric import gemmlowp, lut
from arenite.ops import Array, Context, Declared, Node, Registration, Struct, TfLiteTensor, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.rows import row_by_row
from arenite.ops.scheme import UNIT_INTERVAL, Scheme
from arenite.ops.shared import softmax as shared
from arenite.ops.shared.cases import unary_cases
from arenite.ops.shared.overlap import element_by_element
from arenite.ops.traits import Saturation


class SoftmaxOptions(OptionsTable, union=9):
    """``table SoftmaxOptions``."""

    beta: float = slot(0, "float32", 0.0)


@quick
@dataclass(frozen=True)
class SoftmaxParams:
    """Parameters of the kernels.

    ``exp_table`` holds for int8 the exponential of ``-i`` input steps (i = 0 .. 255, no
    integer bits), for int16 the 513 entries of exp over [-10, 0];
    ``reciprocal_table`` those of 1 / (1 + x) over [0, 1] for int16. ``keeps_low_bits``: a quotient
    of 1, 32,768 in int16, is cut to its low 16 bits instead of clamped.
    """

    beta: float
    input_multiplier: int
    input_left_shift: int
    exp_table: Array
    reciprocal_table: Array
    keeps_low_bits: bool = False


OP_DATA = Struct(
    "SoftmaxParams",
    ("double", "int32", "int32", "int32", "int32", "int", "int32", "float") + ("pointer",) * 5,
)

_NONE = np.zeros(0, np.int32)
_INT16_LUT_BYTES = 2 * 513


def supported_types(node: c.NodeView) -> bool:
    """Input and output are both float32, int8 or int16, or int8 and int16."""
    pair = (node.input(0).type, node.output(0).type)
    if pair == (INT8, INT16):
        return True
    return pair[0] is pair[1] and pair[0] in (FLOAT32, INT8, INT16)


def has_an_axis(node: c.NodeView) -> bool:
    """The input has at least one dimension."""
    return len(node.input(0).shape) > 0


def output_quantization(node: c.NodeView) -> bool:
    """A quantised output has the range [0, 1].

    int8 has scale 1/256 and zero point -128, int16 from an int8 input scale 1/65536 and
    zero point -32768, int16 from int16 scale 1/32768 and zero points 0 on both sides.
    """
    inp, output = node.input(0), node.output(0)
    if inp.type is FLOAT32:
        return True
    if output.type is INT8:
        return output.scale == 1 / 256 and output.zero_point == -128
    if inp.type is INT8:
        return _near(output.scale, 1 / 65536) and output.zero_point == -32768
    return _near(output.scale, 1 / 32768) and output.zero_point == inp.zero_point == 0


def _near(scale: float, wanted: float) -> bool:
    f = np.float32
    return bool(abs(f(scale) - f(wanted)) <= f(0.001) * f(wanted))


def declared_shape(shape: tuple[int, ...], declared: tuple[int, ...]) -> Declared:
    """TFLM takes the depth out of the output's dimensions if that is smaller."""
    fits = len(declared) == len(shape) and declared[-1:] >= shape[-1:]
    return "kept" if fits else "refused"


def prepare(context: Context, node: Node) -> SoftmaxParams:
    """Input scaling and tables."""
    beta = float(np.float32(node.options.beta))
    inp = util.input_tensor(context, node, 0)
    output = util.output_tensor(context, node)
    context.resize_tensor(output.index, inp.shape, declared_shape(inp.shape, output.shape))
    if inp.type is INT8:
        multiplier, shift = shared.difference_scaling(context, beta, inp)
        table = shared.difference_table(multiplier, shift)
        return SoftmaxParams(beta, multiplier, shift, table, _NONE)
    if inp.type is INT16:
        return _prepare_int16(context, beta, inp)
    return SoftmaxParams(beta, 0, 0, _NONE, _NONE)


def _prepare_int16(context: Context, beta: float, inp: TfLiteTensor) -> SoftmaxParams:
    context.reserve_persistent_buffer(_INT16_LUT_BYTES, "exp table")
    context.reserve_persistent_buffer(_INT16_LUT_BYTES, "reciprocal table")
    # Input differences of -65535 .. 0 steps stand for -10 .. 0.
    real = inp.scale * beta / (10.0 / 65535.0)
    multiplier, shift = util.requantization(context, real, "input scale * beta / (10 / 65535)")
    f = np.float32
    output_scale = f(2) / f(65535)
    # The C library's expf is correctly rounded but for the last bit of rare values; so is
    # a float64 exponential that is rounded afterwards.
    exp_table = lut.populate_int16(
        f(10) / f(65535), 32767, output_scale, lambda x: np.exp(x.astype(np.float64)).astype(f)
    )
    reciprocal_table = lut.populate_int16(
        f(1) / f(65535), -32768, output_scale, lambda x: f(1) / (f(1) + x)
    )
    tables = exp_table.astype(np.int32), reciprocal_table.astype(np.int32)
    return SoftmaxParams(beta, multiplier, shift, *tables)


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if x.dtype == np.float32:
        softmax_float(node.params, x, out)
    elif x.dtype == np.int16:
        softmax_int16(context, node.params, x, out)
    else:
        softmax_int8(context, node.params, x, out)


def softmax_float(params: SoftmaxParams, x: Array, out: Array) -> None:
    """In float32, with the row's largest value subtracted first."""
    with np.errstate(all="ignore"):
        scaled = (x - shared.row_maximum(x)) * np.float32(params.beta)
        exponentials = np.exp(scaled)
        np.divide(exponentials, exponentials.sum(axis=-1, keepdims=True), out=out)


def softmax_int8(context: Context, params: SoftmaxParams, x: Array, out: Array) -> None:
    """Int8 to int8 or int16: exponentials from the table, times the sum's reciprocal."""
    distance = np.subtract(shared.row_maximum(x), x, dtype=np.intp)
    exponentials = params.exp_table[distance]
    accumulated = gemmlowp.rescale(exponentials, 0, shared.ACCUMULATION_BITS)
    total = fp.wrap_int32(accumulated.sum(axis=-1, keepdims=True))
    reciprocal, bits = gemmlowp.reciprocal(total, shared.ACCUMULATION_BITS)
    low, high = np.iinfo(out.dtype).min, np.iinfo(out.dtype).max
    shift = bits + 31 - 8 * out.itemsize
    if shift.min(initial=0) < 0 or shift.max(initial=0) > 31:
        context.report_error(
            f"the sum of exponentials of a row of {x.shape[-1]} values is out of range for "
            f"{out.dtype}"
        )
    scaled = fp.rounding_divide_by_pot(
        fp.saturating_rounding_doubling_high_mul(reciprocal, exponentials), shift
    )
    scaled += low
    np.clip(scaled, low, high, out=scaled)
    out[...] = scaled


def softmax_int16(context: Context, params: SoftmaxParams, x: Array, out: Array) -> None:
    """Int16 to int16: exp and the sum's reciprocal are interpolated in tables."""
    difference = np.subtract(x, shared.row_maximum(x), dtype=np.int64)
    scaled = fp.multiply_by_quantized_multiplier(
        difference, params.input_multiplier, params.input_left_shift
    )
    centred = np.clip(fp.wrap_int32(scaled + 32767), -32768, 32767)
    exponentials = lut.lookup_int16(params.exp_table, centred)
    total = exponentials.sum(axis=-1, keepdims=True)
    if total.max(initial=0) >= 1 << 31:
        context.report_error(f"a row of {x.shape[-1]} values is too long for int16")
    headroom_plus_one = gemmlowp.count_leading_zeros(total)
    # The sum as 1 + x with x in [0, 1), in units of 2**-16, recentred on the table.
    normalised = ((total << (headroom_plus_one - 1)) + (1 << 13)) >> 14
    centred_sum = np.clip(normalised - (1 << 15) - (1 << 16), -32768, 32767)
    reciprocal = lut.lookup_int16(params.reciprocal_table, centred_sum)
    shift = 31 - headroom_plus_one
    result = (exponentials * reciprocal + (np.int64(1) << (shift - 1))) >> shift
    most = 32768 if params.keeps_low_bits else 32767
    out[...] = np.clip(result, 0, most).astype(np.int16)


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    options=SoftmaxOptions,
    builtin_data=Struct("TfLiteSoftmaxParams", ("float",)),
    constraints=(
        *c.counts(1, 1),
        has_an_axis,
        supported_types,
        output_quantization,
    ),
)

#: ``exp(-12)`` is less than a fifth of int16's least step.
TRAITS = Traits(fixed_output=True, saturation=Saturation(-12.0, of="row"))

SCHEME = Scheme(fixed=UNIT_INTERVAL)

CASES = unary_cases("SOFTMAX", partial(SoftmaxOptions, beta=1.0), output=(1 / 256, -128))
