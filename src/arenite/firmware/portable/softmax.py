"""SOFTMAX of int8: exponentials from a table, times the reciprocal of their sum.

Facts: TFLM ``reference/softmax.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.firmware.layers import Layer
from arenite.firmware.portable.needs import require_elements, require_types
from arenite.firmware.text import fill
from arenite.firmware.work import Constant, Routine, UnsupportedError, Work
from arenite.model import TensorType

_SOFTMAX = """\
for (int32_t row = 0; row < $rows; ++row, x += $depth, y += $depth) {
  int32_t largest = x[0];
  for (int32_t i = 1; i < $depth; ++i) largest = x[i] > largest ? x[i] : largest;
  uint32_t sum = 0;
  for (int32_t i = 0; i < $depth; ++i)
    sum += (uint32_t)ar_divide_by_power(table[largest - x[i]], 12);
  const int32_t zeros = ar_leading_zeros(sum);
  const int32_t reciprocal = ar_one_over_one_plus(ar_wrap((sum << zeros) - 0x80000000u));
  const int32_t shift = 12 - zeros + 23;
  for (int32_t i = 0; i < $depth; ++i) {
    const int32_t share = ar_high_product(reciprocal, table[largest - x[i]]);
    y[i] = (int8_t)ar_clamp_offset(ar_divide_by_power(share, shift), -128, -128, 127);
  }
}"""
#: Rows up to here: the sum of so many exponentials, at most 2**19 each, does not wrap.
_MOST = 4095


def softmax(layer: Layer) -> Work:
    """Along the last axis, row by row."""
    require_types(layer, TensorType.INT8)
    require_elements(layer)
    depth = layer.input(0).shape[-1]
    if depth > _MOST:
        raise UnsupportedError(f"expected rows of at most {_MOST} values, got {depth}")
    text = fill(_SOFTMAX, rows=layer.output.size // depth, depth=depth)
    parameters = ("const int8_t *x", "const int32_t *table", "int8_t *y")
    table = Constant("table", np.asarray(layer.params.exp_table, np.int32))
    return Work(
        Routine("softmax", parameters, text, about=str(layer)),
        (layer.input(0), table, layer.output),
        in_place=(0,),
    )


KERNELS = {"SOFTMAX": softmax}
