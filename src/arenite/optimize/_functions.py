"""Rules for functions of one value; see :mod:`arenite.optimize.lowerings`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from arenite.model import OptionsTable, TensorType, slot
from arenite.model.model import Array
from arenite.model.types import FLOAT32, INT8
from arenite.numeric.fixedpoint import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    round_half_away,
)
from arenite.optimize.parts import Parts, scalar

Rule = Callable[[Parts], None]
FLOATS = "floats are rounded in other places"


class GeluOptions(OptionsTable, union=116):
    """``table GeluOptions``."""

    approximate: bool = slot(0, "bool", False)


def gelu(parts: Parts) -> None:
    """``x * P(X <= x)``. int8 by a table, with equal bits."""
    approximate = parts.options(GeluOptions).approximate
    if parts.x.type is INT8:
        _look_up(parts, _tabled(parts, _tanh_gelu if approximate else _erf_gelu))
        return
    parts.require(parts.x.type is FLOAT32, f"it is of {parts.x.type}")
    if approximate:
        _float_tanh_gelu(parts)
    else:
        _float_erf_gelu(parts)


def _erf_gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.vectorize(math.erf)(x * math.sqrt(0.5))))


def _tanh_gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))


def _float_tanh_gelu(parts: Parts) -> None:
    """``x * logistic(x * (a + b * x * x))``, which is the same formula."""
    x, a = parts.input(0), 2 * math.sqrt(2 / math.pi)
    cubic = _horner(parts, parts.run("MUL", x, x), (0.044715 * a, a))
    parts.run("MUL", x, parts.run("LOGISTIC", parts.run("MUL", x, cubic)))
    parts.rounds(FLOATS)


def _float_erf_gelu(parts: Parts) -> None:
    """``relu(x) - |x| / 2 * erfc(|x| / sqrt(2))``.

    Of ``erfc`` Abramowitz and Stegun's 7.1.26, which errs by 1.5e-7 at most.
    """
    x, run = parts.input(0), parts.run
    size = run("ABS", x)
    below = _horner(parts, size, (0.3275911 * math.sqrt(0.5), 1.0))
    t = run("DIV", parts.value(np.float32(1)), below)
    terms = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    sloped = run("MUL", run("MUL", t, _horner(parts, t, terms)), size)
    square = run("MUL", run("MUL", x, x), parts.value(np.float32(-0.5)))
    tail = run("MUL", sloped, run("EXP", square))
    run("SUB", run("RELU", x), run("MUL", tail, parts.value(np.float32(0.5))))
    parts.rounds("within 1e-6 of the error function's")


def _horner(parts: Parts, x: int, factors: tuple[float, ...]) -> int:
    """``(f0 * x + f1) * x + f2 ...``."""
    first, *rest = (parts.value(np.float32(factor)) for factor in factors)
    found = first
    for factor in rest:
        found = parts.run("ADD", parts.run("MUL", x, found), factor)
    return found


#: Of ``atan(r) / r`` in powers of ``r * r``, the highest first: Abramowitz and Stegun's 4.4.49.
_ARCTANGENT = (
    *(0.0028662257, -0.0161657367, 0.0429096138, -0.0752896400, 0.1065626393),
    *(-0.1420889944, 0.1999355085, -0.3333314528, 1.0),
)


def arctangent(parts: Parts) -> None:
    """The angle of ``(x, y)``: of the smaller one by the larger one, turned to its place."""
    parts.require(parts.y.type is FLOAT32, f"it is of {parts.y.type}")
    y, x, run = parts.input(0), parts.input(1), parts.run
    height, width = run("ABS", y), run("ABS", x)
    longer = run("MAXIMUM", run("MAXIMUM", height, width), parts.value(np.float32(1e-37)))
    ratio = run("DIV", run("MINIMUM", height, width), longer)
    angle = run("MUL", ratio, _horner(parts, run("MUL", ratio, ratio), _ARCTANGENT))
    zero = parts.value(np.float32(0))
    for pair, whole in (((width, height), math.pi / 2), ((x, zero), math.pi)):
        other = run("SUB", parts.value(np.float32(whole)), angle)
        angle = run("SELECT_V2", run("LESS", *pair, kind=TensorType.BOOL), other, angle)
    run("SELECT_V2", run("LESS", y, zero, kind=TensorType.BOOL), run("NEG", angle), angle)
    parts.rounds("within 1e-6; zeros have no sign, and no two values are infinite")


def clamp(low: float, high: float) -> Rule:
    """A rule for ``min(max(x, low), high)``, with equal bits."""

    def rule(parts: Parts) -> None:
        if parts.x.type is INT8:
            _look_up(parts, _clamped_bytes(parts, low, high))
            return
        parts.require(parts.x.type is FLOAT32, f"it is of {parts.x.type}")
        above = parts.run("MAXIMUM", parts.value(np.float32(low)), parts.input(0))
        parts.run("MINIMUM", parts.value(np.float32(high)), above)

    return rule


def _clamped_bytes(parts: Parts, low: float, high: float) -> Array:
    """Results of LiteRT's ``QuantizedReluX`` for every int8."""
    (scale, zero), (out_scale, out_zero) = scalar(parts.x), scalar(parts.y)
    ratio = float(np.float32(scale) / np.float32(out_scale))
    parts.require(2**-31 < ratio < 2**30, "its scales are too far from each other")
    steps = [float(np.float32(end) / np.float32(out_scale)) for end in (low, high)]
    ends = [out_zero + round_half_away(step) for step in steps]
    values = np.arange(-128, 128) - zero
    real = out_zero + multiply_by_quantized_multiplier(values, *quantize_multiplier(ratio))
    return np.clip(real, max(-128, ends[0]), min(127, ends[1]))


def _tabled(parts: Parts, function: Callable[[Array], Array]) -> Array:
    """Results of LiteRT's ``LUTPopulate`` for every int8: a float32 function between scales."""
    (scale, zero), (out_scale, out_zero) = scalar(parts.x), scalar(parts.y)
    reals = np.float32(scale) * np.arange(-128 - zero, 128 - zero).astype(np.float32)
    with np.errstate(all="ignore"):
        results = function(reals.astype(np.float64)).astype(np.float32)
        steps = (results * (np.float32(1) / np.float32(out_scale))).astype(np.float64)
    parts.require(not np.isnan(steps).any(), "it has no value somewhere")
    whole = np.copysign(np.floor(np.abs(steps) + 0.5), steps)
    return np.asarray(np.clip(whole + out_zero, -128, 127))


def by_table(function: Callable[[Array], Array]) -> Rule:
    """A rule for int8 alone: TFLM has the function of floats."""

    def rule(parts: Parts) -> None:
        parts.require(parts.x.type is INT8, f"it is of {parts.x.type}")
        _look_up(parts, _tabled(parts, function))

    return rule


def _look_up(parts: Parts, table: Array) -> None:
    """A table's entry for every int8: two clamps where they do that, else GATHER."""
    parts.require(parts.shape(0) == parts.y.shape, "its output has another shape")
    x, low, high = parts.input(0), int(table.min()), int(table.max())
    if np.array_equal(table, np.clip(np.arange(-128, 128), low, high)):
        above = parts.run("MAXIMUM", x, parts.value([low], parts.y))
        parts.run("MINIMUM", above, parts.value([high], parts.y))
        return
    wide = parts.run("CAST", x, kind=TensorType.INT32)
    index = parts.run("ADD", wide, parts.value(np.full(1, 128, np.int32)), kind=TensorType.INT32)
    parts.run("GATHER", parts.value(table, parts.y, "table"), index)
    parts.why = "equal bits, by a table of 256 bytes; indices take 8 bytes an element"


def logarithm(x: Array) -> Array:
    """The logarithm; of what has none the least value that there is, as in LiteRT."""
    return np.where(x > 0, np.log(x, where=x > 0, out=np.zeros_like(x)), -np.inf)


def sign(parts: Parts) -> None:
    """``(x > 0) - (x < 0)``, with equal bits."""
    parts.require(parts.x.type in (FLOAT32, TensorType.INT32), f"it is of {parts.x.type}")
    zero = parts.value(np.zeros((), parts.x.type.dtype))
    sides = [
        parts.run("CAST", parts.run(name, parts.input(0), zero, kind=TensorType.BOOL))
        for name in ("GREATER", "LESS")
    ]
    parts.run("SUB", *sides)


def power(parts: Parts) -> None:
    """A few constant exponents as products, others through logarithms; the last bits may differ."""
    constant = parts.edit.constant(parts.operator, 1)
    exponent = np.zeros(0) if constant is None else np.unique(constant)
    known = exponent.size == 1 and parts.shape(0) == parts.y.shape
    parts.require(parts.x.type in (FLOAT32, TensorType.INT32), f"it is of {parts.x.type}")
    whole = known and (parts.x.type is FLOAT32 or exponent[0] in (2, 3))
    parts.rounds(FLOATS)
    x = parts.input(0)
    match float(exponent[0]) if whole else None:
        case 2.0:
            parts.run("MUL", x, x)
        case 3.0:
            parts.run("MUL", parts.run("MUL", x, x), x)
        case 0.5:
            parts.run("SQRT", x)
        case -0.5:
            parts.run("RSQRT", x)
        case -1.0:
            parts.run("DIV", parts.value(np.float32(1)), x)
        case _:
            parts.require(parts.x.type is FLOAT32, "its exponent is not 2 or 3 everywhere")
            _float_power(parts, constant)


def _float_power(parts: Parts, constant: Array | None) -> None:
    """``exp(y * log(x))``; of a negative ``x`` for whole ``y`` alone, with the sign of odd ones."""
    parts.rounds("by EXP and LOG, whose errors grow with the exponent")
    x, y, run = parts.input(0), parts.input(1), parts.run
    if constant is not None and not (np.floor(constant) == constant).any():
        run("EXP", run("MUL", run("LOG", x, shape=parts.shape(0)), y))
        return

    def compare(name: str, a: int, b: int, number: int) -> int:
        return run(name, a, b, shape=parts.shape(number), kind=TensorType.BOOL)

    def rounded(exponent: int) -> int:
        whole = run("FLOOR", exponent, shape=parts.shape(1))
        return compare("EQUAL", whole, exponent, 1)

    zero = parts.value(np.float32(0))
    size = run("LOG", run("ABS", x, shape=parts.shape(0)), shape=parts.shape(0))
    found = run("EXP", run("MUL", size, y))
    half = run("MUL", y, parts.value(np.float32(0.5)), shape=parts.shape(1))
    below = run("SELECT_V2", rounded(half), found, run("NEG", found))
    below = run("SELECT_V2", rounded(y), below, parts.value(np.float32(np.nan)))
    found = run("SELECT_V2", compare("LESS", x, zero, 0), below, found)
    run("SELECT_V2", compare("EQUAL", y, zero, 1), parts.value(np.float32(1)), found)
