"""SOFTMAX: of int8 by a table of exponentials, of int16 by two tables that are interpolated.

Facts: TFLM ``reference/softmax.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.firmware.c_text import fill, float_literal, indented
from arenite.firmware.kernels.portable.elements import is_float, reads, writes
from arenite.firmware.kernels.portable.elementwise_loop import argument, c_type
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.plan.kernel import Constant, Routine, Work
from arenite.firmware.plan.layers import Layer
from arenite.model import TensorType

_ROWS = """\
for (int32_t row = 0; row < $rows; ++row, x += $depth, y += $depth) {
  $largest_type largest = x[0];
  for (int32_t i = 1; i < $depth; ++i) largest = x[i] > largest ? x[i] : largest;
$row
}"""

#: The sum's reciprocal times the exponentials.
_INT8 = """\
uint32_t sum = 0;
for (int32_t i = 0; i < $depth; ++i)
  sum += (uint32_t)ar_divide_by_power(table[largest - x[i]], 12);
$bounded
const int32_t zeros = ar_leading_zeros(sum);
const int32_t reciprocal = ar_one_over_one_plus(ar_wrap((sum << zeros) - 0x80000000u));
const int32_t shift = $distance;
for (int32_t i = 0; i < $depth; ++i) {
  const int32_t share = ar_high_product(reciprocal, table[largest - x[i]]);
  y[i] = ($element)ar_clamp_offset(ar_divide_by_power(share, shift), $low, $low, $high);
}"""

#: The sum as 1 + x with x in [0, 1), in steps of 2^-16, is recentred on the table.
_INT16 = """\
int32_t sum = 0;
for (int32_t i = 0; i < $depth; ++i) {
  const int32_t scaled = ar_rescale(x[i] - largest, $multiplier, $shift);
  const int32_t at = ar_clamp(ar_add(scaled, 32767), -32768, 32767);
  y[i] = (int16_t)ar_table_int16(exponentials, at);
  $add
}
const int32_t zeros = ar_leading_zeros((uint32_t)sum), bits = 31 - zeros;
const int64_t whole = ((int64_t)sum << (zeros - 1)) + (1 << 13);
const int32_t at = (int32_t)(whole >> 14) - (1 << 15) - (1 << 16);
const int32_t reciprocal = ar_table_int16(reciprocals, ar_clamp(at, -32768, 32767));
const int32_t half = bits > 0 ? 1 << (bits - 1) : 0;
for (int32_t i = 0; i < $depth; ++i) {
  const int64_t share = ((int64_t)y[i] * reciprocal + half) >> bits;
  y[i] = (int16_t)(share < 0 ? 0 : share > $most ? $most : share);
}"""

_FLOAT = """\
float sum = 0.0f;
for (int32_t i = 0; i < $depth; ++i) y[i] = ar_exp((x[i] - largest) * $beta);
for (int32_t i = 0; i < $depth; ++i) sum += y[i];
for (int32_t i = 0; i < $depth; ++i) y[i] /= sum;"""

#: Rows of int8 up to here: the sum of so many exponentials, at most 2**19 each, does not wrap. What
#: longer ones come to, which the engine refuses where it is no number of 31 bits or no shift,
#: counts as the nearest that can be done.
_MOST_INT8 = 4095
_BOUNDED_INT8 = "sum = sum ? sum : 1;"
#: Of int16, at most 2**15 each.
_MOST_INT16 = 65535
_BOUNDED_INT16 = "sum = sum > INT32_MAX - y[i] ? INT32_MAX : sum + y[i];"


def softmax(layer: Layer) -> Work:
    """Along the last axis, row by row."""
    require_elements(layer)
    x, y, p = layer.input(0), layer.output, layer.params
    if is_float(x):
        row = fill(_FLOAT, depth=x.shape[-1], beta=float_literal(p.beta))
        return _work(layer, "float", row)
    if x.type is TensorType.INT8:
        return _of_int8(layer)
    most = 32768 if p.keeps_low_bits else 32767
    values = {"multiplier": p.input_multiplier, "shift": p.input_left_shift, "most": most}
    values["add"] = "sum += y[i];" if x.shape[-1] <= _MOST_INT16 else _BOUNDED_INT16
    tables = (
        Constant("exponentials", np.asarray(p.exp_table, np.int16)),
        Constant("reciprocals", np.asarray(p.reciprocal_table, np.int16)),
    )
    return _work(layer, "int32_t", fill(_INT16, depth=y.shape[-1], **values), *tables)


def _of_int8(layer: Layer) -> Work:
    """To int8 or int16."""
    y = layer.output
    info, is_long = np.iinfo(y.type.dtype), y.shape[-1] > _MOST_INT8
    distance = f"{12 + 31 - y.type.bits} - zeros"
    row = fill(
        _INT8,
        depth=y.shape[-1],
        element=c_type(y),
        bounded=_BOUNDED_INT8 if is_long else "",
        distance=f"ar_clamp({distance}, 0, 31)" if is_long else distance,
        low=info.min,
        high=info.max,
    )
    table = Constant("table", np.asarray(layer.params.exp_table, np.int32))
    return _work(layer, "int32_t", row, table)


def _work(layer: Layer, largest: str, row: str, *tables: Constant) -> Work:
    x, y = layer.input(0), layer.output
    depth = x.shape[-1]
    text = fill(_ROWS, rows=y.size // depth, depth=depth, largest_type=largest, row=indented(row))
    kind = "int32_t" if x.type is TensorType.INT8 else "int16_t"
    parameters = [reads(x, "x"), *(f"const {kind} *{one.role}" for one in tables), writes(y, "y")]
    in_place = (0,) if x.type is y.type else ()
    return Work(
        Routine("softmax", tuple(parameters), text, about=str(layer)),
        (argument(x), *tables, y),
        in_place=in_place,
    )


KERNELS = {"SOFTMAX": softmax}
