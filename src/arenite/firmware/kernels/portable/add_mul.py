"""ADD, SUB, MUL, MAXIMUM and MINIMUM, with broadcasting.

Facts: TFLM ``reference/maximum_minimum.h``, ``reference/add.h``, ``sub.h``, ``mul.h`` and
``reference/integer_ops/add.h`` and ``mul.h``.
"""

from __future__ import annotations

from collections.abc import Mapping

from arenite.c_text import fill
from arenite.firmware.kernels.portable.elements import NUMBERS, clamped, require_numbers
from arenite.firmware.kernels.portable.elementwise_loop import c_type, each
from arenite.firmware.kernels.portable.sums import plus
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.firmware.network.records import Clamped
from arenite.model import TensorType
from arenite.ops.shared.add_sub import AddSubParams
from arenite.ops.shared.mul_div import MulDivParams

_ADD = """\
const int32_t first = ar_rescale(ar_wrap((uint32_t)($a) << $left), $multiplier1, $shift1);
const int32_t second = ar_rescale(ar_wrap((uint32_t)($b) << $left), $multiplier2, $shift2);
const int32_t sum = ar_wrap((uint32_t)first $sign (uint32_t)second);
const int32_t scaled = ar_rescale(sum, $multiplier, $shift);
$y = ($element)ar_clamp_offset(scaled, $output_offset, $low, $high);"""

_MUL = """\
const int32_t scaled = ar_rescale(ar_multiply($a, $b), $multiplier, $shift);
$y = ($element)ar_clamp_offset(scaled, $output_offset, $low, $high);"""

#: Of floats, and of int32, which wraps.
_PLAIN = {
    (TensorType.FLOAT32, "+"): "$a + $b",
    (TensorType.FLOAT32, "-"): "$a - $b",
    (TensorType.FLOAT32, "*"): "$a * $b",
    (TensorType.INT32, "+"): "ar_add($a, $b)",
    (TensorType.INT32, "-"): "ar_wrap((uint32_t)$a - (uint32_t)$b)",
    (TensorType.INT32, "*"): "ar_multiply($a, $b)",
}


def add_sub(layer: Layer[AddSubParams]) -> Work:
    """Both inputs on a common scale, added or subtracted."""
    p = layer.params
    sign = "+" if p.sign > 0 else "-"
    require_numbers(layer, *NUMBERS, TensorType.INT32)
    if (layer.output.type, sign) in _PLAIN:
        return _plain(layer, sign)
    more: dict[str, int | str] = {
        "left": p.left_shift,
        "multiplier1": p.input1_multiplier,
        "shift1": p.input1_shift,
        "multiplier2": p.input2_multiplier,
        "shift2": p.input2_shift,
        "sign": sign,
    }
    return _quantised(layer, _ADD, more)


def mul(layer: Layer[MulDivParams]) -> Work:
    """The product of both inputs without their zero points, rescaled."""
    require_numbers(layer, *NUMBERS, TensorType.INT32)
    if (layer.output.type, "*") in _PLAIN:
        return _plain(layer, "*")
    return _quantised(layer, _MUL, {})


def selection(layer: AnyLayer) -> Work:
    """The larger or smaller of two inputs, compared as they are."""
    require_numbers(layer, *NUMBERS, TensorType.INT32, TensorType.INT64)
    sign = ">" if layer.name == "MAXIMUM" else "<"
    return each(layer, f"$y = $a {sign} $b ? $a : $b;", (0, 1))


def _plain(layer: Layer[Clamped], sign: str) -> Work:
    result = clamped(layer, _PLAIN[layer.output.type, sign])
    return each(layer, f"$y = {result};", (0, 1))


def _quantised(
    layer: Layer[AddSubParams | MulDivParams], body: str, more: Mapping[str, int | str]
) -> Work:
    p = layer.params
    text = fill(
        body,
        a=plus("$a", p.input1_offset),
        b=plus("$b", p.input2_offset),
        y="$y",
        element=c_type(layer.output),
        multiplier=p.output_multiplier,
        shift=p.output_shift,
        output_offset=p.output_offset,
        low=int(p.activation_min),
        high=int(p.activation_max),
        **more,
    )
    return each(layer, text, (0, 1))


KERNELS = {"ADD": add_sub, "SUB": add_sub, "MUL": mul, "MAXIMUM": selection, "MINIMUM": selection}
