"""Comparisons, LOGICAL_AND, LOGICAL_OR and SELECT_V2, with broadcasting.

Facts: TFLM ``reference/comparisons.h``, ``micro/kernels/logical_common.cc`` and
``reference/select.h``.
"""

from __future__ import annotations

from arenite.firmware.kernels.portable.elementwise_loop import each
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import TensorType
from arenite.ops.shared.comparison import ComparisonParams

_SIGNS = {
    "EQUAL": "==",
    "NOT_EQUAL": "!=",
    "GREATER": ">",
    "GREATER_EQUAL": ">=",
    "LESS": "<",
    "LESS_EQUAL": "<=",
}

_SCALED = """\
const int32_t first = ar_rescale(ar_wrap((uint32_t)($a + $offset1) << $left),
                                 $multiplier1, $shift1);
const int32_t second = ar_rescale(ar_wrap((uint32_t)($b + $offset2) << $left),
                                  $multiplier2, $shift2);
$y = first $sign second;"""


def comparison(layer: Layer[ComparisonParams]) -> Work:
    """Numbers as they are, or on a common scale."""
    p, sign = layer.params, _SIGNS[layer.name]
    if not p.is_scaled:
        is_bool = layer.input(0).type is TensorType.BOOL
        return each(
            layer,
            "$y = ($a != 0) $sign ($b != 0);" if is_bool else "$y = $a $sign $b;",
            [0, 1],
            sign=sign,
        )
    return each(
        layer,
        _SCALED,
        [0, 1],
        sign=sign,
        left=p.left_shift,
        offset1=p.input1_offset,
        multiplier1=p.input1_multiplier,
        shift1=p.input1_shift,
        offset2=p.input2_offset,
        multiplier2=p.input2_multiplier,
        shift2=p.input2_shift,
    )


def logical(layer: AnyLayer) -> Work:
    """Of two bools."""
    sign = "&&" if layer.name == "LOGICAL_AND" else "||"
    return each(layer, "$y = $a != 0 $sign $b != 0;", [0, 1], sign=sign)


def select(layer: AnyLayer) -> Work:
    """One value or the other, as a bool says."""
    return each(layer, "$y = $a != 0 ? $b : $c;", [0, 1, 2])


KERNELS = {
    **dict.fromkeys(_SIGNS, comparison),
    "LOGICAL_AND": logical,
    "LOGICAL_OR": logical,
    "SELECT_V2": select,
}
