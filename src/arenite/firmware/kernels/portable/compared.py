"""Comparisons, with broadcasting.

Facts: TFLM ``reference/comparisons.h``.
"""

from __future__ import annotations

from arenite.firmware.kernels.portable.elementwise_loop import each
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer
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
const int32_t first = ar_rescale(ar_wrap((uint32_t)($a + $input1_offset) << $left_shift),
                                 $input1_multiplier, $input1_shift);
const int32_t second = ar_rescale(ar_wrap((uint32_t)($b + $input2_offset) << $left_shift),
                                  $input2_multiplier, $input2_shift);
$y = first $sign second;"""


def comparison(layer: Layer[ComparisonParams]) -> Work:
    """Numbers as they are, or on a common scale."""
    p, sign = layer.params, _SIGNS[layer.name]
    if p.is_scaled:
        return each(layer, _SCALED, [0, 1], sign=sign, **vars(p))
    is_bool = layer.input(0).type is TensorType.BOOL
    statement = "$y = ($a != 0) $sign ($b != 0);" if is_bool else "$y = $a $sign $b;"
    return each(layer, statement, [0, 1], sign=sign)


KERNELS = dict.fromkeys(_SIGNS, comparison)
