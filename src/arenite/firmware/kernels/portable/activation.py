"""Operators that take every element by itself, as a formula of one: of int16 and of floats.

Those of int8 are tables (:mod:`arenite.firmware.kernels.portable.lookup`). Facts: TFLM
``reference/integer_ops/logistic.h``, ``tanh.h``, ``reference/leaky_relu.h``, ``hard_swish.h``,
``micro/kernels/activations_common.cc``, ``elementwise.cc`` and ``elu.cc``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arenite.c_text import float_literal, literal
from arenite.firmware.kernels.portable.elements import is_float, require_numbers
from arenite.firmware.kernels.portable.elementwise_loop import c_type, each
from arenite.firmware.kernels.portable.lookup import BYTES, lookup
from arenite.firmware.kernels.portable.sums import plus, with_offset
from arenite.firmware.network.kernel import Constant, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import TensorType
from arenite.numeric import lut
from arenite.ops.shared.sigmoid import SigmoidParams
from arenite.ops.tflite.abs import AbsParams
from arenite.ops.tflite.leaky_relu import LeakyReluParams
from arenite.ops.tflite.relu import ReluParams
from arenite.ops.tflite.relu6 import Relu6Params

#: Of a float.
_FLOAT = {
    "ABS": "ar_magnitude($a)",
    "ELU": "$a < 0.0f ? ar_expm1_of_negative($a) : $a",
    "HARD_SWISH": "$a * ar_clamp_float($a + 3.0f, 0.0f, 6.0f) / 6.0f",
    "LEAKY_RELU": "$a > 0.0f ? $a : $a * $alpha",
    "LOGISTIC": "ar_logistic($a)",
    "RELU": "$a < 0.0f ? 0.0f : $a",
    "RELU6": "ar_clamp_float($a, 0.0f, 6.0f)",
    "TANH": "ar_tanh($a)",
}


def unary(layer: AnyLayer) -> Work:
    """By the type: a table, or a formula."""
    if layer.input(0).type in BYTES:
        return lookup(layer)
    require_numbers(layer)
    if layer.input(0).type is TensorType.INT16:
        return _of_int16(layer)
    value = _FLOAT[layer.name]
    if isinstance(layer.params, LeakyReluParams):
        value = value.replace("$alpha", float_literal(layer.params.alpha))
    return _work(layer, value)


def _of_int16(layer: AnyLayer) -> Work:
    if isinstance(p := layer.params, SigmoidParams):
        scaled = f"ar_sigmoid_input($a, {p.input_multiplier}, {p.input_left_shift})"
        return _work(layer, f"ar_{layer.name.lower()}_int16(table, {scaled})", sigmoid_table())
    formula = _INT16.get(layer.name)
    if formula is None:
        raise UnsupportedError("expected int8 or float32, got a tensor of int16")
    return _work(layer, formula(layer))


def sigmoid_table() -> Constant:
    """The sigmoid that int16 is interpolated in."""
    return Constant("sigmoid", lut.sigmoid_table().astype(np.uint16))


def _abs(layer: Layer[AbsParams]) -> str:
    p = layer.params
    if not p.is_quantized:
        return "$a < 0 ? -$a : $a"
    centred = plus("$a", -p.input_offset)
    value = f"({centred} < 0 ? -({centred}) : {centred})"
    if p.rescales:
        value = f"ar_rescale({value}, {p.multiplier}, {p.shift})"
    return f"ar_clamp({with_offset(value, p.output_offset)}, {p.low}, {p.high})"


def _leaky_relu(layer: Layer[LeakyReluParams]) -> str:
    p = layer.params
    centred = plus("$a", -p.input_offset)
    same = f"ar_rescale({centred}, {p.multiplier_identity}, {p.shift_identity})"
    less = f"ar_rescale({centred}, {abs(p.multiplier_alpha)}, {p.shift_alpha})"
    less = f"-{less}" if p.multiplier_alpha < 0 else less
    value = f"{centred} >= 0 ? {same} : {less}"
    return f"ar_clamp_offset({value}, {p.output_offset}, {p.low}, {p.high})"


def _relu(layer: Layer[ReluParams]) -> str:
    p = layer.params
    centred = plus("$a", -p.input_offset)
    value = f"ar_rescale({centred}, {p.output_multiplier}, {p.output_shift})"
    bounds = f"{p.activation_min}, {p.activation_max}"
    return f"ar_clamp_offset({value}, {p.output_offset}, {bounds})"


def _relu6(layer: Layer[Relu6Params]) -> str:
    zero, six = int(layer.params.zero), int(layer.params.six)
    if zero <= six:
        return f"ar_clamp($a, {literal(zero)}, {literal(six)})"
    return f"$a > {six} ? {six} : {literal(zero)}"


def _work(layer: AnyLayer, value: str, *tables: Constant) -> Work:
    cast = "" if is_float(layer.output) else f"({c_type(layer.output)})"
    named = [("table", table) for table in tables]
    return each(layer, f"$y = {cast}({value});" if cast else f"$y = {value};", [0], named)


_INT16: dict[str, Callable[[Layer[Any]], str]] = {
    "ABS": _abs,
    "LEAKY_RELU": _leaky_relu,
    "RELU": _relu,
    "RELU6": _relu6,
}

KERNELS = dict.fromkeys(_FLOAT, unary)
