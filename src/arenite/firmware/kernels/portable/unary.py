"""Operators of one statement: roots, sines, roundings, logic, FLOOR_DIV; CAST, zeros.

A number that is divided by 0, which the engine refuses, is divided by 1 instead. Facts: TFLM
``micro/kernels/elementwise.cc``, ``ceil.cc``, ``floor.cc``, ``round.cc``, ``exp.cc``, ``neg.cc``,
``cast.cc``, ``zeros_like.cc``, ``fill.cc``, ``logical_common.cc``; ``reference/floor_div.h``,
``floor_mod.h``, ``select.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill
from arenite.firmware.kernels.portable.elementwise_loop import c_type, each, work_of
from arenite.firmware.kernels.portable.needs import require_elements, require_some
from arenite.firmware.network.kernel import Constant, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import TensorType
from arenite.ops.tflite.rsqrt import RsqrtParams
from arenite.ops.tflite.shape import ShapeParams

#: Operators whose statement needs nothing of the layer.
_STATEMENTS = {
    "CEIL": "$y = ar_ceil($a);",
    "COS": "$y = ar_sine($a, 1);",
    "EXP": "$y = ar_exp($a);",
    "FLOOR": "$y = ar_floor($a);",
    "FLOOR_DIV": "$y = ar_floor_quotient($a, $b == 0.0f ? 1.0f : $b);",
    "FLOOR_MOD": """\
const float divisor = $b, remainder = ar_remainder($a, divisor);
const int moves = remainder != 0.0f && (divisor < 0.0f) != (remainder < 0.0f);
$y = moves ? remainder + divisor : remainder;""",
    "LOG": "$y = ar_log($a);",
    "LOGICAL_AND": "$y = $a != 0 && $b != 0;",
    "LOGICAL_NOT": "$y = $a == 0;",
    "LOGICAL_OR": "$y = $a != 0 || $b != 0;",
    "NEG": "$y = -$a;",
    "ROUND": "$y = ar_nearest($a);",
    "SELECT_V2": "$y = $a != 0 ? $b : $c;",
    "SIN": "$y = ar_sine($a, 0);",
    "SQRT": "$y = ar_root($a);",
    "SQUARE": "$y = $a * $a;",
}

_SATURATED = "$y = ($type)($a != $a ? 0 : $a <= $low ? $least : $a >= $high ? $most : ($type)$a);"
_SET = "for (int32_t i = 0; i < $size; ++i) y[i] = $value;"


def stated(layer: AnyLayer) -> Work:
    """The operator's statement, for all elements."""
    statement = _STATEMENTS[layer.name]
    return each(layer, statement, [i for i, name in enumerate("abc") if f"${name}" in statement])


def cast(layer: AnyLayer) -> Work:
    """Every element as another type: floats saturate, integers lose high bits.

    C defines neither; these are what :mod:`arenite.ops.tflite.cast` chose.
    """
    x, y = layer.input(0), layer.output
    kind = c_type(y)
    if TensorType.BOOL in (x.type, y.type):
        return each(layer, "$y = $a != 0;", [0])
    if x.type is not TensorType.FLOAT32 or y.type is TensorType.FLOAT32:
        return each(layer, _converted(x.type, y.type), [0], type=kind, bits=y.type.bits)
    info = np.iinfo(y.type.dtype)
    least, most = int(info.min), int(info.max)
    return each(
        layer,
        _SATURATED,
        [0],
        type=kind,
        low=f"{least}.0f",
        high=f"{most + 1}.0f",
        least="INT32_MIN" if least == -(2**31) else least,
        most=f"{most}u" if most > 2**31 else most,
    )


def _converted(x: TensorType, y: TensorType) -> str:
    """A statement; C leaves to compilers what numbers of signed types become too large."""
    if y is TensorType.FLOAT32 or y is TensorType.UINT32:
        return "$y = ($type)$a;"
    if y is TensorType.INT32 and x is TensorType.UINT32:
        return "$y = ar_wrap($a);"
    if x.bits <= y.bits:
        return "$y = ($type)$a;"
    return "$y = ($type)ar_sign_extend((uint32_t)$a, $bits);"


def rsqrt(layer: Layer[RsqrtParams]) -> Work:
    """The reciprocal of a root; integers under the zero point count as it."""
    x = layer.input(0)
    if x.type is TensorType.FLOAT32:
        return each(layer, "$y = 1.0f / ar_root($a);", [0])
    p = layer.params
    if x.type is TensorType.INT8:
        table = Constant("table", np.asarray(p.table))
        return each(layer, "$y = table[(uint8_t)$a];", [0], [("table", table)])
    table = Constant("table", np.asarray(p.table_int16))
    return each(layer, "$y = table[$a < 0 ? 0 : $a];", [0], [("table", table)])


def zeros_like(layer: AnyLayer) -> Work:
    """Zeros, whatever the zero point."""
    return every(layer, "0")


def fill_(layer: AnyLayer) -> Work:
    """One value everywhere."""
    require_elements(layer)
    x = layer.input(1)
    text = fill(
        "const $type value = *x;\n" + _SET, type=c_type(x), size=layer.output.size, value="value"
    )
    return work_of(layer, text, {"x": x})


def shape(layer: Layer[ShapeParams]) -> Work:
    """The input's dimensions, which are known."""
    require_some(layer.output)
    dims = np.asarray(layer.params.dims, np.int32)
    text = fill(_SET, size=dims.size, value="x[i]")
    return work_of(layer, text, {"x": Constant("shape", dims)})


def every(layer: AnyLayer, value: str) -> Work:
    """The work that makes all elements of the output one number."""
    require_some(layer.output)
    return work_of(layer, fill(_SET, size=layer.output.size, value=value), {})


KERNELS = {
    **dict.fromkeys(_STATEMENTS, stated),
    "CAST": cast,
    "RSQRT": rsqrt,
    "ZEROS_LIKE": zeros_like,
    "FILL": fill_,
    "SHAPE": shape,
}
