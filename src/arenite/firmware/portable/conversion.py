"""QUANTIZE from float32 and DEQUANTIZE: single precision, no library.

Facts: TFLM ``reference/quantize.h`` and ``reference/dequantize.h``. What int32 does not hold is
INT32_MIN before the zero point is added, as in TFLM's package; a zero point lets it wrap, as there.
"""

from __future__ import annotations

import numpy as np

from arenite.firmware.layers import Layer
from arenite.firmware.portable.binary import argument
from arenite.firmware.portable.lookup import lookup
from arenite.firmware.portable.needs import require_elements, require_types
from arenite.firmware.text import fill, float_literal
from arenite.firmware.work import Routine, UnsupportedError, Work
from arenite.model import TensorType

_QUANTIZE = """\
for (int32_t i = 0; i < $size; ++i) {
  const int32_t whole = ar_add(ar_round(x[i] / $scale), $zero);
  y[i] = (int8_t)ar_clamp(whole, -128, 127);
}"""

_DEQUANTIZE = "for (int32_t i = 0; i < $size; ++i) y[i] = $scale * (float)(x[i] - $zero);"


def quantize(layer: Layer) -> Work:
    """From float32 by division, from int8 by a table."""
    if layer.input(0).type is not TensorType.FLOAT32:
        return lookup(layer)
    require_elements(layer)
    if layer.output.type is not TensorType.INT8:
        raise UnsupportedError(f"expected int8, got a tensor of {layer.output.type}")
    p = layer.params
    text = fill(_QUANTIZE, size=layer.output.size, scale=float_literal(p.scale), zero=p.zero_point)
    routine = Routine("quantize", ("const float *x", "int8_t *y"), text, about=str(layer))
    return Work(routine, (argument(layer.input(0)), layer.output), in_place=(0,))


def dequantize(layer: Layer) -> Work:
    """The product of an integer under 2**9 and a float: rounded once either way."""
    require_types(layer, TensorType.INT8, TensorType.FLOAT32)
    require_elements(layer)
    p = layer.params
    if not (np.float32(p.scale) == p.scale and abs(p.zero_point) < 1 << 20):
        raise UnsupportedError(f"expected a zero point of int8, got {p.zero_point}")
    text = fill(
        _DEQUANTIZE, size=layer.output.size, scale=float_literal(p.scale), zero=p.zero_point
    ).replace("- -", "+ ")
    routine = Routine("dequantize", ("const int8_t *x", "float *y"), text, about=str(layer))
    return Work(routine, (argument(layer.input(0)), layer.output))


KERNELS = {"QUANTIZE": quantize, "DEQUANTIZE": dequantize}
