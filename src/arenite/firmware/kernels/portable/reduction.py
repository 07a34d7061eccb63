"""MEAN and SUM.

Facts: TFLM ``micro/kernels/reduce_common.cc``; sums of integers wrap at 32 bits, those
of floats are taken in the order of memory.
"""

from __future__ import annotations

from arenite.c_text import fill, float_literal
from arenite.firmware.kernels.portable.axes import count_of, reduction
from arenite.firmware.kernels.portable.elements import NUMBERS, is_float
from arenite.firmware.kernels.portable.elementwise_loop import c_type
from arenite.firmware.kernels.portable.needs import require_some, require_types
from arenite.firmware.kernels.portable.sums import plus, with_offset
from arenite.firmware.kernels.portable.unary import zeros_like
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.numeric.fixedpoint import bare_shift
from arenite.ops.shared.reduction import ReductionParams

_SUM = "sum = ar_add(sum, $element);"
_FINISH = """\
const int32_t scaled = ar_rescale(sum, $multiplier, $shift);
*y++ = ($element)ar_clamp($moved, $low, $high);"""


def mean(layer: Layer[ReductionParams]) -> Work:
    """The sum without zero points; 1 / count is in the multiplier."""
    _check(layer)
    count = count_of(layer)
    if is_float(layer.output):
        return _of_floats(layer, "mean", f"sum / {float_literal(count)}")
    return _of_integers(layer, "mean", *mean_multiplier(layer.params, count))


def mean_multiplier(params: ReductionParams, count: int) -> tuple[int, int]:
    """Multiplier and shift that turn a sum of ``count`` elements into their mean."""
    spare = min(count.bit_length() - 1, 32, 31 + int(bare_shift(params.shift)))
    return (params.multiplier << spare) // count, params.shift - spare


def total(layer: Layer[ReductionParams]) -> Work:
    """The sum without zero points; of nothing it is the number 0."""
    if not layer.input(0).size:
        return zeros_like(layer)
    _check(layer)
    if is_float(layer.output):
        return _of_floats(layer, "sum", "sum")
    return _of_integers(layer, "sum", layer.params.multiplier, layer.params.shift)


def _check(layer: AnyLayer) -> None:
    require_types(layer, *NUMBERS, inputs=1)
    require_some(layer.input(0), layer.output)


def _of_integers(layer: Layer[ReductionParams], stem: str, multiplier: int, shift: int) -> Work:
    p = layer.params
    last = fill(
        _FINISH,
        element=c_type(layer.output),
        moved=with_offset("scaled", p.output_zero_point),
        multiplier=multiplier,
        shift=shift,
        low=p.output_min,
        high=p.output_max,
    )
    step = _SUM.replace("$element", plus("$x", -p.input_zero_point))
    return reduction(layer, stem, "int32_t sum = 0;", step, last)


def _of_floats(layer: Layer[ReductionParams], stem: str, result: str) -> Work:
    return reduction(layer, stem, "float sum = 0.0f;", "sum += $x;", f"*y++ = {result};")


KERNELS = {"MEAN": mean, "SUM": total}
