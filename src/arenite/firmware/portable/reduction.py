"""MEAN and SUM of int8 over constant axes.

Facts: TFLM ``micro/kernels/reduce_common.cc``; sums wrap at 32 bits.
"""

from __future__ import annotations

from math import prod

from arenite.firmware.layers import Layer
from arenite.firmware.portable.loops import nested, offset, strides_of
from arenite.firmware.portable.needs import require_elements, require_types
from arenite.firmware.text import fill
from arenite.firmware.work import Routine, UnsupportedError, Work
from arenite.model import TensorType
from arenite.numeric.fixedpoint import bare_shift
from arenite.ops.shared.reduction import ReductionParams

_SUMS = """\
int32_t sum = 0;
$loops
const int32_t scaled = ar_rescale(sum, $multiplier, $shift);
*y++ = (int8_t)ar_clamp_offset(scaled, $zero, $low, $high);"""


def mean(layer: Layer) -> Work:
    """The sum without zero points; 1 / count is in the multiplier."""
    return _work(layer, "mean", *mean_multiplier(layer.params, _count(layer)))


def mean_multiplier(params: ReductionParams, count: int) -> tuple[int, int]:
    """What a sum of so many elements is multiplied by, and shifted."""
    spare = min(count.bit_length() - 1, 32, 31 + int(bare_shift(params.shift)))
    return (params.multiplier << spare) // count, params.shift - spare


def total(layer: Layer) -> Work:
    """The sum without zero points."""
    return _work(layer, "sum", layer.params.multiplier, layer.params.shift)


def _axes(layer: Layer) -> list[int]:
    require_types(layer, TensorType.INT8, inputs=1)
    require_elements(layer)
    mask, rank = layer.params.axis_mask, len(layer.input(0).shape)
    if mask < 0:
        raise UnsupportedError("the axes must be constant")
    if rank > 6:
        raise UnsupportedError(f"expected at most 6 axes, got {rank}")
    return [axis for axis in range(rank) if mask >> axis & 1]


def _count(layer: Layer) -> int:
    return prod(layer.input(0).shape[axis] for axis in _axes(layer))


def _work(layer: Layer, stem: str, multiplier: int, shift: int) -> Work:
    gone, shape, p = _axes(layer), layer.input(0).shape, layer.params
    inner = [size if axis in gone else 1 for axis, size in enumerate(shape)]
    outer = [1 if axis in gone else size for axis, size in enumerate(shape)]
    place = offset(strides_of(shape))
    sums = nested(inner, f"sum = ar_add(sum, x[{place}] - {p.input_zero_point});")
    sums = sums.replace("- -", "+ ")
    text = fill(
        _SUMS,
        loops=sums,
        multiplier=multiplier,
        shift=shift,
        zero=p.output_zero_point,
        low=p.output_min,
        high=p.output_max,
    )
    routine = Routine(stem, ("const int8_t *x", "int8_t *y"), nested(outer, text), about=str(layer))
    return Work(routine, (layer.input(0), layer.output))


KERNELS = {"MEAN": mean, "SUM": total}
