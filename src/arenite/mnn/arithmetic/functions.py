"""Functions of one and of two variables by the names that MNN gives them.

Floats are computed in float32, integers in int32, as in MNN; comparisons give int32. Facts:
MNN 3.6.1 ``backend/cpu/UnaryUtils.hpp``, ``BinaryUtils.hpp``, ``compute/CommonOptFunction.cpp``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi, sqrt
from typing import Any

import numpy as np

from arenite.ops.context import Array

Unary = Callable[[Array], Array]
Binary = Callable[[Array, Array], Array]

#: Terms of a Taylor series, and levels of a continued fraction, that give all of float32.
_TERMS, _LEVELS = 40, 40
#: Where the one hands over to the other.
_BORDER = 2.0


def erf(x: Array) -> Array:
    """The error function."""
    wide = x.astype(np.float64)
    near = np.clip(wide, -_BORDER, _BORDER)
    term = total = near
    for n in range(1, _TERMS):
        term = -term * near * near / n
        total = total + term / (2 * n + 1)
    far = np.copysign(1 - _erfc_tail(np.abs(wide)), wide)
    return np.where(np.abs(wide) < _BORDER, total * 2 / sqrt(pi), far).astype(x.dtype)


def erfc(x: Array) -> Array:
    """One minus the error function, without cancellation."""
    wide = x.astype(np.float64)
    tail = _erfc_tail(np.abs(wide))
    far = np.where(wide > 0, tail, 2 - tail)
    return np.where(np.abs(wide) < _BORDER, 1 - erf(wide), far).astype(x.dtype)


def _erfc_tail(x: Array) -> Array:
    """``erfc`` of what is not near 0, by its continued fraction."""
    x = np.maximum(x, _BORDER)
    fraction = x
    for level in range(_LEVELS, 0, -1):
        fraction = x + level / 2 / fraction
    tail: Array = np.exp(-x * x) / (fraction * sqrt(pi))
    return tail


def erfinv(x: Array) -> Array:
    """The inverse of the error function, from its logarithm in two pieces."""
    wide = x.astype(np.float64)
    w = -np.log1p(-wide * wide)
    low = w < 5
    p = np.where(low, _polynomial(_ERFINV_LOW, w - 2.5), _polynomial(_ERFINV_HIGH, np.sqrt(w) - 3))
    edge = np.abs(np.abs(wide) - 1) < 1e-8
    return np.where(edge, np.finfo(np.float32).max, p * wide).astype(x.dtype)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    value: Any = coefficients[0]
    for coefficient in coefficients[1:]:
        value = coefficient + value * x
    return np.asarray(value)


#: Giles' approximation, as MNN and TensorFlow have it.
_ERFINV_LOW = (
    *(2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087),
    *(-0.00125372503, -0.00417768164, 0.246640727, 1.50140941),
)
_ERFINV_HIGH = (
    *(-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773),
    *(-0.0076224613, 0.00943887047, 1.00167406, 2.83297682),
)


def round_half_away(x: Array) -> Array:
    """To the nearest integer, halves away from zero."""
    rounded: Array = np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)
    return rounded


def gelu(x: Array) -> Array:
    """``x`` times the normal distribution, with its hyperbolic tangent approximation."""
    inner = np.float32(sqrt(2 / pi)) * (x + np.float32(0.044715) * x * x * x)
    return np.asarray(np.float32(0.5) * x * (1 + np.tanh(inner)))


def gelu_standard(x: Array) -> Array:
    """``x`` times the normal distribution."""
    return np.asarray(np.float32(0.5) * x * (1 + erf(x / np.float32(sqrt(2)))))


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``."""
    return np.asarray(1 / (1 + np.exp(-x)))


def hard_swish(x: Array) -> Array:
    """``x * clip(x + 3, 0, 6) / 6``."""
    return np.asarray(x * np.clip(x + 3, 0, 6) / 6)


def softplus(x: Array) -> Array:
    """``log(1 + exp(x))``."""
    return np.logaddexp(x, np.zeros_like(x))


UNARY: Mapping[str, Unary] = {
    "ABS": np.abs,
    "NEG": np.negative,
    "FLOOR": np.floor,
    "CEIL": np.ceil,
    "SQUARE": np.square,
    "SQRT": np.sqrt,
    "RSQRT": lambda x: 1 / np.sqrt(x),
    "EXP": np.exp,
    "LOG": np.log,
    "SIN": np.sin,
    "COS": np.cos,
    "TAN": np.tan,
    "ASIN": np.arcsin,
    "ACOS": np.arccos,
    "ATAN": np.arctan,
    "RECIPROCAL": lambda x: 1 / x,
    "LOG1P": np.log1p,
    "BNLL": softplus,
    "ACOSH": np.arccosh,
    "SINH": np.sinh,
    "ASINH": np.arcsinh,
    "ATANH": np.arctanh,
    "SIGN": np.sign,
    "ROUND": round_half_away,
    "COSH": np.cosh,
    "ERF": erf,
    "ERFC": erfc,
    "ERFINV": erfinv,
    "EXPM1": np.expm1,
    "SIGMOID": sigmoid,
    "TANH": np.tanh,
    "HARDSWISH": hard_swish,
    "GELU": gelu,
    "GELU_STANDARD": gelu_standard,
    "SILU": lambda x: x * sigmoid(x),
}
#: What MNN computes on int32 too.
_UNARY_INT32 = frozenset({"ABS", "NEG", "SQUARE", "SIGN"})


def divide(a: Array, b: Array) -> Array:
    """Division; that of integers cuts towards zero."""
    if a.dtype.kind == "f":
        return np.asarray(a / b)
    safe = np.where(b == 0, 1, b).astype(np.int64)
    quotient = np.abs(a.astype(np.int64)) // np.abs(safe)
    return np.where(b == 0, 0, quotient * np.sign(a) * np.sign(safe)).astype(a.dtype)


def floor_divide(a: Array, b: Array) -> Array:
    """The quotient rounded down, from doubles."""
    quotient = np.floor(a.astype(np.float64) / b)
    return _as_type(quotient, a.dtype)


def floor_mod(a: Array, b: Array) -> Array:
    """``a - floor(a / b) * b``; the inner division of integers cuts towards zero."""
    if a.dtype.kind == "f":
        return np.asarray(a - np.floor(a / b) * b)
    return np.asarray(a - divide(a, b) * b)


def mod(a: Array, b: Array) -> Array:
    """C's remainder of floats; of integers the one that has the divisor's sign."""
    if a.dtype.kind == "f":
        return np.fmod(a, b)
    return np.where(b == 0, 0, np.mod(a, np.where(b == 0, 1, b))).astype(a.dtype)


def power(a: Array, b: Array) -> Array:
    """``a`` to the power of ``b``, from doubles."""
    return _as_type(np.power(a.astype(np.float64), b), a.dtype)


def _as_type(values: Array, dtype: np.dtype[Any]) -> Array:
    if dtype.kind == "f":
        return values.astype(dtype)
    info = np.iinfo(dtype)
    finite = np.nan_to_num(values, nan=0.0, posinf=info.max, neginf=info.min)
    return np.asarray(np.clip(finite, info.min, info.max), dtype)


BINARY: Mapping[str, Binary] = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": divide,
    "REALDIV": divide,
    "MAX_TEMP": np.maximum,
    "MIN_TEMP": np.minimum,
    "MINIMUM": np.minimum,
    "MAXIMUM": np.maximum,
    "POW": power,
    "GREATER": np.greater,
    "GREATER_EQUAL": np.greater_equal,
    "LESS": np.less,
    "LESS_EQUAL": np.less_equal,
    "EQUAL": np.equal,
    "NOTEQUAL": np.not_equal,
    "FLOORDIV": floor_divide,
    "FLOORMOD": floor_mod,
    "MOD": mod,
    "SquaredDifference": lambda a, b: np.square(a - b),
    "ATAN2": np.arctan2,
    "LOGICALOR": np.logical_or,
    "LOGICALXOR": np.not_equal,
    "BITWISE_AND": np.bitwise_and,
    "BITWISE_OR": np.bitwise_or,
    "BITWISE_XOR": np.bitwise_xor,
    "LEFTSHIFT": lambda a, b: np.left_shift(a, b & 31),
    "RIGHTSHIFT": lambda a, b: np.right_shift(a, b & 31),
    "MUL_SILU": lambda a, b: a * b * sigmoid(b),
}
#: Their results are int32 whatever they compare.
COMPARISONS = frozenset({"GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "EQUAL", "NOTEQUAL"})
#: What MNN computes on int32 only.
_INTEGER_ONLY = frozenset(
    {
        *("LOGICALOR", "LOGICALXOR", "BITWISE_AND", "BITWISE_OR", "BITWISE_XOR"),
        *("LEFTSHIFT", "RIGHTSHIFT"),
    }
)
#: What MNN computes on floats only.
_FLOAT_ONLY = frozenset({"ATAN2", "MUL_SILU"})


def unary_takes(kind: str, *, is_float: bool) -> bool:
    """Whether there is a function of one variable on floats, or on int32."""
    return kind in (UNARY if is_float else _UNARY_INT32)


def binary_takes(kind: str, *, is_float: bool) -> bool:
    """Whether there is a function of two variables on floats, or on int32."""
    return kind in BINARY and kind not in (_INTEGER_ONLY if is_float else _FLOAT_ONLY)
