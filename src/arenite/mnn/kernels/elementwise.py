"""MNN's functions of one and of two numbers, element by element.

Facts: :mod:`arenite.mnn.arithmetic.functions`. Of int8, a function whose last bits C may have
otherwise is a table of all pairs, made by the reference.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill, float_literal
from arenite.firmware.kernels.portable.elements import is_float
from arenite.firmware.kernels.portable.elementwise_loop import each, work_of
from arenite.firmware.kernels.portable.lookup import lookup
from arenite.firmware.network.kernel import Constant, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.mnn.arithmetic.functions import BINARY
from arenite.mnn.operators.binary_int8 import MnnBinaryInt8Params
from arenite.mnn.operators.float_to_int8 import MnnFloatToInt8Params
from arenite.mnn.operators.int8_to_float import MnnInt8ToFloatParams
from arenite.mnn.shared import real_numbers, rounded
from arenite.ops.context import Array

_SIGMOID = "(1.0f / (1.0f + ar_exp(-{})))"
_UNARY_FLOAT = {
    "ABS": "ar_magnitude($a)",
    "NEG": "-$a",
    "FLOOR": "ar_floor($a)",
    "CEIL": "ar_ceil($a)",
    "SQUARE": "$a * $a",
    "SQRT": "ar_root($a)",
    "RSQRT": "1.0f / ar_root($a)",
    "EXP": "ar_exp($a)",
    "LOG": "ar_log($a)",
    "SIN": "ar_sine($a, 0)",
    "COS": "ar_sine($a, 1)",
    "TAN": "ar_sine($a, 0) / ar_sine($a, 1)",
    "ASIN": "ar_arc_sine($a)",
    "ACOS": "ar_arc_cosine($a)",
    "ATAN": "ar_angle((double)$a, 1.0)",
    "RECIPROCAL": "1.0f / $a",
    "LOG1P": "(float)ar_log1p_double((double)$a)",
    "BNLL": "ar_softplus($a)",
    "ACOSH": "ar_acosh($a)",
    "SINH": "ar_sinh($a)",
    "ASINH": "ar_asinh($a)",
    "ATANH": "ar_atanh($a)",
    "SIGN": "$a > 0.0f ? 1.0f : $a < 0.0f ? -1.0f : $a",
    "ROUND": "$a < 0.0f ? -ar_floor(0.5f - $a) : ar_floor($a + 0.5f)",
    "COSH": "ar_cosh($a)",
    "ERF": "ar_error($a)",
    "ERFC": "ar_error_rest($a)",
    "ERFINV": "ar_error_inverse($a)",
    "EXPM1": "(float)ar_expm1_double((double)$a)",
    "SIGMOID": _SIGMOID.format("$a"),
    "TANH": "ar_tanh($a)",
    "HARDSWISH": "$a * ar_clamp_float($a + 3.0f, 0.0f, 6.0f) / 6.0f",
    "GELU": ("0.5f * $a * (1.0f + ar_tanh(0.797884583f * ($a + 0.044715f * $a * $a * $a)))"),
    "GELU_STANDARD": "0.5f * $a * (1.0f + ar_error($a / 1.41421354f))",
    "SILU": f"$a * {_SIGMOID.format('$a')}",
    "CLIP": "ar_clamp_float($a, $low, $high)",
    "ELU": "$a > 0.0f ? $high * $a : $high * $low * (float)ar_expm1_double((double)$a)",
}
_UNARY_INT32 = {
    "ABS": "$a < 0 ? ar_wrap(0u - (uint32_t)$a) : $a",
    "NEG": "ar_wrap(0u - (uint32_t)$a)",
    "SQUARE": "ar_multiply($a, $a)",
    "SIGN": "$a > 0 ? 1 : $a < 0 ? -1 : 0",
}
_BINARY_BOTH = {
    "GREATER": "$a > $b",
    "GREATER_EQUAL": "$a >= $b",
    "LESS": "$a < $b",
    "LESS_EQUAL": "$a <= $b",
    "EQUAL": "$a == $b",
    "NOTEQUAL": "$a != $b",
}
_LARGER, _SMALLER = "$a > $b || $a != $a ? $a : $b", "$a < $b || $a != $a ? $a : $b"
_BINARY_FLOAT = {
    **_BINARY_BOTH,
    "ADD": "$a + $b",
    "SUB": "$a - $b",
    "MUL": "$a * $b",
    "DIV": "$a / $b",
    "REALDIV": "$a / $b",
    "MAX_TEMP": _LARGER,
    "MIN_TEMP": _SMALLER,
    "MINIMUM": _SMALLER,
    "MAXIMUM": _LARGER,
    "POW": "(float)ar_power((double)$a, (double)$b)",
    "FLOORDIV": "ar_floor_quotient($a, $b)",
    "FLOORMOD": "$a - ar_floor($a / $b) * $b",
    "MOD": "ar_remainder($a, $b)",
    "SquaredDifference": "($a - $b) * ($a - $b)",
    "ATAN2": "ar_angle((double)$a, (double)$b)",
    "MUL_SILU": f"$a * $b * {_SIGMOID.format('$b')}",
}
_BINARY_INT32 = {
    **_BINARY_BOTH,
    "ADD": "ar_add($a, $b)",
    "SUB": "ar_wrap((uint32_t)$a - (uint32_t)$b)",
    "MUL": "ar_multiply($a, $b)",
    "DIV": "ar_quotient($a, $b)",
    "REALDIV": "ar_quotient($a, $b)",
    "MAX_TEMP": "$a > $b ? $a : $b",
    "MIN_TEMP": "$a < $b ? $a : $b",
    "MINIMUM": "$a < $b ? $a : $b",
    "MAXIMUM": "$a > $b ? $a : $b",
    "POW": "ar_saturated(ar_power((double)$a, (double)$b))",
    "FLOORDIV": "ar_floor_division($a, $b)",
    "FLOORMOD": "ar_rest($a, $b)",
    "MOD": "ar_modulus($a, $b)",
    "SquaredDifference": (
        "ar_multiply(ar_wrap((uint32_t)$a - (uint32_t)$b), ar_wrap((uint32_t)$a - (uint32_t)$b))"
    ),
    "LOGICALOR": "$a != 0 || $b != 0",
    "LOGICALXOR": "$a != $b",
    "BITWISE_AND": "$a & $b",
    "BITWISE_OR": "$a | $b",
    "BITWISE_XOR": "$a ^ $b",
    "LEFTSHIFT": "ar_wrap((uint32_t)$a << ($b & 31))",
    "RIGHTSHIFT": "$a >> ($b & 31)",
}
#: Functions whose last bits C may have otherwise, which could round to another int8.
_BY_TABLE = ("POW", "ATAN2", "MUL_SILU")

_INT8 = """\
const float p = ((float)$a - $zero1) * $scale1, q = ((float)$b - $zero2) * $scale2;
const float steps = (float)($function) * $inverse;
const float whole = ar_rounded_away(
    ar_magnitude(steps) < 2147483648.0f ? steps : -2147483648.0f, -2147483648.0f, 2147483648.0f);
$y = (int8_t)ar_clamp_float(whole + $zero, $low, $high);"""


def unary(layer: AnyLayer) -> Work:
    """A function of one number."""
    options = layer.options
    known = _UNARY_FLOAT if is_float(layer.output) else _UNARY_INT32
    low, high = (float_literal(value) for value in (options.a, options.b))
    return each(layer, f"$y = {known[options.kind]};", [0], low=low, high=high)


def binary(layer: AnyLayer) -> Work:
    """A function of two numbers; negative results become 0 where that is wanted."""
    options = layer.options
    known = _BINARY_FLOAT if is_float(layer.input(0)) else _BINARY_INT32
    text = f"$y = {known[options.kind]};"
    return each(layer, f"{text}\nif ($y < 0) $y = 0;" if options.relu else text, [0, 1])


def binary_int8(layer: Layer[MnnBinaryInt8Params]) -> Work:
    """A function of two real numbers, rounded to int8."""
    p: MnnBinaryInt8Params = layer.params
    kind = layer.options.kind
    if kind in _BY_TABLE:
        table = Constant("table", _every_pair(kind, p))
        text = "$y = table[(uint32_t)(uint8_t)$a << 8 | (uint32_t)(uint8_t)$b];"
        return each(layer, text, [0, 1], [("table", table)])
    function = fill(_BINARY_FLOAT[kind], a="p", b="q")
    return each(
        layer,
        _INT8,
        [0, 1],
        function=function,
        zero1=float_literal(p.zero_point1),
        zero2=float_literal(p.zero_point2),
        zero=float_literal(p.output_zero_point),
        scale1=float_literal(p.scale1),
        scale2=float_literal(p.scale2),
        inverse=float_literal(np.float32(1) / np.float32(p.output_scale)),
        low=float_literal(p.activation_min),
        high=float_literal(p.activation_max),
    )


def _every_pair(kind: str, p: MnnBinaryInt8Params) -> Array:
    """The results for all pairs of bytes."""
    values = np.arange(256, dtype=np.uint8).view(np.int8)
    a = real_numbers(values[:, None], p.scale1, p.zero_point1)
    b = real_numbers(values[None, :], p.scale2, p.zero_point2)
    limit = np.float32(2.0**31)
    with np.errstate(all="ignore"):
        steps = BINARY[kind](a, b) * (np.float32(1) / np.float32(p.output_scale))
        steps = np.where(np.abs(steps) < limit, steps, -limit)
        whole = rounded(steps, float(-limit), float(limit), whole=True)
    moved = whole + np.float32(p.output_zero_point)
    clipped = np.clip(moved, p.activation_min, p.activation_max)
    return np.asarray(clipped.astype(np.int8).reshape(-1))


_CHANNELS = "for (int32_t i = 0; i < $size; ++i) {\n  const float factor = $factor;\n  $line\n}"
_TO_INT8 = "y[i] = (int8_t)ar_rounded_away(x[i] * factor + $zero, $low, $high);"
_TO_FLOAT = "y[i] = ((float)x[i] - $zero) * factor;"


def float_to_int8(layer: Layer[MnnFloatToInt8Params]) -> Work:
    """Quantised by factors."""
    p = layer.params
    bounds = {"low": p.activation_min, "high": p.activation_max}
    line = fill(_TO_INT8, zero="$zero", **{k: float_literal(v) for k, v in bounds.items()})
    return _by_channel(layer, line)


def int8_to_float(layer: Layer[MnnInt8ToFloatParams]) -> Work:
    """Made real by factors."""
    return _by_channel(layer, _TO_FLOAT)


def _by_channel(layer: Layer[MnnFloatToInt8Params | MnnInt8ToFloatParams], line: str) -> Work:
    x, y, p = layer.input(0), layer.output, layer.params
    text = fill(
        _CHANNELS,
        size=y.size,
        factor=f"factors[i % {p.channels}]" if p.channels > 1 else "factors[0]",
        line=fill(line, zero=float_literal(p.zero)),
    )
    return work_of(layer, text, {"x": x, "factors": Constant("factors", np.asarray(p.factors))})


def select(layer: AnyLayer) -> Work:
    """One value or the other."""
    return each(layer, "$y = $a != 0 ? $b : $c;", [0, 1, 2])


KERNELS = {
    "MNN_UNARY": unary,
    "MNN_BINARY": binary,
    "MNN_BINARY_INT8": binary_int8,
    "MNN_FLOAT_TO_INT8": float_to_int8,
    "MNN_INT8_TO_FLOAT": int8_to_float,
    "MNN_LOOKUP": lookup,
    "MNN_SELECT": select,
}
