"""QUANTIZE and DEQUANTIZE between all types, in single precision and integers, without a library.

What int32 does not hold is INT32_MIN before the zero point is added, as in TFLM's package; a zero
point lets it wrap, as there. Facts: TFLM ``reference/quantize.h``, ``requantize.h``,
``dequantize.h``.
"""

from __future__ import annotations

from arenite.c_text import fill, float_literal, literal
from arenite.firmware.kernels.portable.elements import is_float
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.lookup import BYTES, lookup
from arenite.firmware.kernels.portable.needs import require_elements, require_types
from arenite.firmware.kernels.portable.sums import plus, with_offset
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer
from arenite.model import TensorType
from arenite.ops.tflite.dequantize import DequantizeParams
from arenite.ops.tflite.quantize import QuantizeParams

_LOOP = """\
for (int32_t i = 0; i < $size; ++i) {
  const int32_t whole = $whole;
  y[i] = ($element)ar_clamp(whole, $low, $high);
}"""

_DEQUANTIZE = "for (int32_t i = 0; i < $size; ++i) y[i] = $scale * (float)($x);"

_DEQUANTIZE_WIDE = """\
for (int32_t i = 0; i < $size; ++i)
  y[i] = (float)((double)$scale * (double)((int64_t)x[i] - INT64_C($zero)));"""


def quantize(layer: Layer[QuantizeParams]) -> Work:
    """From float32 by division, from other integers by a multiplication; bytes by a table."""
    x, y, p = layer.input(0), layer.output, layer.params
    if {x.type, y.type} <= BYTES:
        return lookup(layer)
    require_elements(layer)
    if is_float(x):
        whole = f"ar_round(x[i] / {float_literal(p.scale)})"
    else:
        centred = plus("x[i]", -p.input_zero_point)
        if x.type is TensorType.INT32:
            centred = f"ar_wrap((uint32_t)x[i] - {p.input_zero_point & 0xFFFFFFFF}u)"
        whole = f"ar_rescale({centred}, {p.multiplier}, {p.shift})"
    text = fill(
        _LOOP,
        size=y.size,
        whole=with_offset(whole, p.zero_point),
        element=c_type(y),
        low=literal(p.output_min),
        high=literal(p.output_max),
    )
    return work_of(layer, text, {"x": x}, in_place=(0,) if x.type.bits >= y.type.bits else ())


def dequantize(layer: Layer[DequantizeParams]) -> Work:
    """The product of an integer and a float, rounded once; in single precision up to 2**24."""
    types = TensorType.INT8, TensorType.UINT8, TensorType.INT16, TensorType.FLOAT32
    require_types(layer, *types)
    require_elements(layer)
    p, x = layer.params, layer.input(0)
    text = fill(
        _DEQUANTIZE if abs(p.zero_point) < 1 << 20 else _DEQUANTIZE_WIDE,
        size=layer.output.size,
        scale=float_literal(p.scale),
        x=plus("x[i]", -p.zero_point),
        zero=p.zero_point,
    )
    return work_of(layer, text, {"x": x})


KERNELS = {"QUANTIZE": quantize, "DEQUANTIZE": dequantize}
