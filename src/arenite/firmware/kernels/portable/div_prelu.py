"""DIV, SQUARED_DIFFERENCE, PRELU and ADD_N.

A number that is divided by 0, which the engine refuses, is divided by 1 instead. Facts: TFLM
``micro/kernels/div.cc``, ``reference/prelu.h``, ``add_n.h``,
``micro/kernels/squared_difference.cc``.
"""

from __future__ import annotations

from arenite.c_text import fill, float_literal, templates
from arenite.firmware.kernels.portable.elementwise_loop import c_type, each, work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer
from arenite.model import TensorType
from arenite.ops.shared.add_sub import AddSubParams
from arenite.ops.shared.mul_div import MulDivParams
from arenite.ops.tflite.add_n import AddNParams
from arenite.ops.tflite.prelu import PreluParams

_DIV_FLOAT = """\
const float quotient = $a / $b;
$y = quotient < $low ? $low : quotient > $high ? $high : quotient;"""

_DIV_INT32 = """\
const int64_t quotient = (int64_t)$a / ($b == 0 ? 1 : $b);
$y = (int32_t)(quotient < $low ? $low : quotient > $high ? $high : quotient);"""

_C = templates(__name__)

_SQUARED_FLOAT = """\
const float difference = $a - $b;
$y = difference * difference;"""

_SQUARED_INT32 = """\
const int32_t difference = ar_wrap((uint32_t)$a - (uint32_t)$b);
$y = ar_multiply(difference, difference);"""


_ADD_N = """\
for (int32_t i = 0; i < $size; ++i) {
  $sum;
}"""
_ADD_N_FLOAT = "y[i] = 0.0f + $terms;"
_HALVED = "(uint32_t)(ar_wrap((uint32_t)($value + $offset) << $left) >> 1)"


def div(layer: Layer[MulDivParams]) -> Work:
    """Quotients; of int32 rounded towards zero."""
    p, type_ = layer.params, layer.output.type
    low, high = p.activation_min, p.activation_max
    if type_ is TensorType.FLOAT32:
        return each(layer, _DIV_FLOAT, [0, 1], low=float_literal(low), high=float_literal(high))
    if type_ is TensorType.INT32:
        return each(layer, _DIV_INT32, [0, 1], low=_int32(low), high=_int32(high))
    return each(
        layer,
        _C["div_int8"],
        [0, 1],
        low=int(low),
        high=int(high),
        **vars(p),
    )


def squared_difference(layer: Layer[AddSubParams]) -> Work:
    """Squares; those of int32 wrap."""
    p, type_ = layer.params, layer.output.type
    if type_ is TensorType.FLOAT32:
        return each(layer, _SQUARED_FLOAT, [0, 1])
    if type_ is TensorType.INT32:
        return each(layer, _SQUARED_INT32, [0, 1])
    return each(
        layer,
        _C["squared"],
        [0, 1],
        type=c_type(layer.output),
        low=int(p.activation_min),
        high=int(p.activation_max),
        **vars(p),
    )


def prelu(layer: Layer[PreluParams]) -> Work:
    """Negative values times a factor."""
    p = layer.params
    if layer.output.type is TensorType.FLOAT32:
        return each(layer, "$y = $a >= 0.0f ? $a : $a * $b;", [0, 1])
    return each(
        layer,
        _C["prelu"],
        [0, 1],
        type=c_type(layer.output),
        **vars(p),
    )


def add_n(layer: Layer[AddNParams]) -> Work:
    """The sum of any number of tensors."""
    require_elements(layer)
    p = layer.params
    names = [f"x{number}" for number in range(len(layer.inputs))]
    if layer.output.type is TensorType.FLOAT32:
        sum_ = fill(_ADD_N_FLOAT, terms=" + ".join(f"{name}[i]" for name in names))
    else:
        terms = [_halved(layer, f"{name}[i]") for name in names]
        sum_ = fill(
            _C["add_n_int8"],
            nothing=_halved(layer, "0"),
            terms=" +\n      ".join(terms),
            multiplier=p.output_multiplier,
            shift=p.output_shift,
            output_offset=p.output_offset,
            low=p.output_min,
            high=p.output_max,
        )
    text = fill(_ADD_N, sum=sum_, size=layer.output.size).replace("- -", "+ ")
    return work_of(layer, text, {name: layer.input(number) for number, name in enumerate(names)})


def _halved(layer: Layer[AddNParams], value: str) -> str:
    p = layer.params
    return fill(_HALVED, value=value, offset=p.input_offset, left=p.left_shift)


def _int32(bound: float) -> str:
    return "INT32_MIN" if int(bound) == -(2**31) else str(int(bound))


KERNELS = {
    "DIV": div,
    "SQUARED_DIFFERENCE": squared_difference,
    "PRELU": prelu,
    "ADD_N": add_n,
}
