"""QUANTIZE: real numbers to quantised ones, or one quantisation to another.

``q = clamp(round(real / scale) + zero_point)``, halves away from zero; from integers
``q = clamp(rescale(x - input_zero_point) + zero_point)`` with TFLM's double rounding.
Facts: TFLM ``micro/kernels/quantize_common.cc``, ``reference/quantize.h`` and
``reference/requantize.h``, whose shortcut between int8 and uint8 of the same scale gives
what the general formula gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, TensorType
from arenite.model.types import FLOAT32, INT8, INT16, INT32, UINT8
from arenite.numeric import fixedpoint as fp
from arenite.numeric.fixedpoint import Int64Array
from arenite.ops import Array, Context, Node, Registration, Struct, Traits, row_by_row
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.overlap import element_by_element


class QuantizeOptions(OptionsTable, union=89):
    """``table QuantizeOptions``, which is empty."""


@dataclass(frozen=True)
class QuantizeParams:
    """``zero_point``, ``scale`` and the clamping range are the output's.

    ``multiplier`` and ``shift`` stand for ``input_scale / scale``; 0 for float inputs.
    """

    zero_point: int
    scale: float
    multiplier: int
    shift: int
    input_zero_point: int
    output_min: int
    output_max: int


QUANTIZATION_PARAMS = Struct("QuantizationParams", ("int32", "double"))
OP_DATA = Struct("OpDataQuantizeReference", (QUANTIZATION_PARAMS, "int32", "int", "int32"))

PAIRS: dict[TensorType, tuple[TensorType, ...]] = {
    FLOAT32: (INT8, INT16),
    INT32: (INT8, INT16),
    INT16: (INT8, INT16, INT32),
    INT8: (INT8, UINT8, INT16, INT32),
    UINT8: (INT8,),
}


def pair_supported(node: c.NodeView) -> bool:
    """From float32 or int32 the output is int8 or int16; from int16 int8, int16 or int32.

    From int8 it is int8, uint8, int16 or int32; from uint8 it is int8.
    """
    return node.output(0).type in PAIRS.get(node.input(0).type, ())


def output_has_one_scale(node: c.NodeView) -> bool:
    """The output has exactly one quantisation scale and a zero point."""
    quantization = node.output(0).quantization
    return (
        quantization is not None
        and len(quantization.scale) == 1
        and len(quantization.zero_point) > 0
    )


def prepare(context: Context, node: Node) -> QuantizeParams:
    """Requantisation where the input is quantised already."""
    inp, output = util.like_input(context, node)
    multiplier, shift = 0, 0
    if inp.type is not FLOAT32:
        ratio = util.scale_ratio(inp.scale, output.scale)
        multiplier, shift = util.requantization(context, ratio, "input / output")
    low, high = util.QUANTIZED_RANGE[output.type]
    return QuantizeParams(
        zero_point=output.zero_point,
        scale=output.scale,
        multiplier=multiplier,
        shift=shift,
        input_zero_point=inp.zero_point,
        output_min=low,
        output_max=high,
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the input's type: float, 8 bits through a table, or wider integers."""
    params: QuantizeParams = node.params
    out = util.output_array(context, node)
    x = util.input_array(context, node, 0).reshape(out.shape)
    if x.dtype == np.float32:
        out[...] = quantize(params, x)
    elif x.dtype.itemsize == 1:
        table = node.host.get("table")
        if table is None:
            every_value = np.arange(256, dtype=np.uint8).view(x.dtype)
            table = node.host["table"] = requantize(params, every_value).astype(out.dtype)
        np.take(table, x.view(np.uint8), out=out, mode="clip")
    else:
        out[...] = requantize(params, x)


def quantize(params: QuantizeParams, x: Array) -> Int64Array:
    """Real numbers to quantised ones, in int64."""
    with np.errstate(all="ignore"):
        scaled = x / np.float32(params.scale)
    return clamp(params, round_to_int32(scaled) + params.zero_point)


def requantize(params: QuantizeParams, x: Array) -> Int64Array:
    """One quantisation to another, in int64."""
    real = fp.wrap_int32(np.subtract(x, params.input_zero_point, dtype=np.int64))
    scaled = fp.multiply_by_quantized_multiplier(real, params.multiplier, params.shift)
    return clamp(params, scaled + params.zero_point)


def clamp(params: QuantizeParams, values: Int64Array) -> Int64Array:
    """Wrap to int32 as C's addition of the zero point does, then saturate."""
    return np.clip(fp.wrap_int32(values), params.output_min, params.output_max)


def round_to_int32(x: Array) -> Int64Array:
    """``static_cast<int32_t>(round(x))`` of float32 values, halves away from zero.

    C leaves open what becomes of NaN and of values that int32 does not hold; here it is
    INT32_MIN, as on x86 and so in TFLM's package. (An Arm core saturates instead.)
    """
    wide = x.astype(np.float64)
    wide += np.copysign(0.5, wide)
    return np.where(np.abs(wide) < 2**31, wide, fp.INT32_MIN).astype(np.int64)


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    options=QuantizeOptions,
    constraints=(
        *c.counts(1, 1),
        pair_supported,
        output_has_one_scale,
    ),
)

TRAITS = Traits(
    values="function", channels="same", exact_on_floats=True, elementwise=True, converts=True
)
