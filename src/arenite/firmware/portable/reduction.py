"""MEAN and SUM over constant axes.

Facts: TFLM ``micro/kernels/reduce_common.cc``; sums of integers wrap at 32 bits, those
of floats are taken in the order of memory.
"""

from __future__ import annotations

from math import prod

from arenite.firmware.layers import Layer
from arenite.firmware.portable.each import argument, c_type
from arenite.firmware.portable.elements import NUMBERS, is_float, reads, writes
from arenite.firmware.portable.loops import nested, offset, strides_of
from arenite.firmware.portable.needs import require_types
from arenite.firmware.portable.sums import plus, with_offset
from arenite.firmware.portable.unary import zeros_like
from arenite.firmware.text import fill, float_literal
from arenite.firmware.work import Routine, UnsupportedError, Work
from arenite.numeric.fixedpoint import bare_shift
from arenite.ops.shared.reduction import ReductionParams

_SUMS = """\
int32_t sum = 0;
$loops
const int32_t scaled = ar_rescale(sum, $multiplier, $shift);
*y++ = ($element)ar_clamp($moved, $low, $high);"""

_FLOAT_SUMS = """\
float sum = 0.0f;
$loops
*y++ = $result;"""


def mean(layer: Layer) -> Work:
    """The sum without zero points; 1 / count is in the multiplier."""
    count = _count(layer)
    if is_float(layer.output):
        return _float_work(layer, "mean", f"sum / {float_literal(count)}")
    return _work(layer, "mean", *mean_multiplier(layer.params, count))


def mean_multiplier(params: ReductionParams, count: int) -> tuple[int, int]:
    """What a sum of so many elements is multiplied by, and shifted."""
    spare = min(count.bit_length() - 1, 32, 31 + int(bare_shift(params.shift)))
    return (params.multiplier << spare) // count, params.shift - spare


def total(layer: Layer) -> Work:
    """The sum without zero points; of nothing it is the number 0."""
    if not layer.input(0).size:
        return zeros_like(layer)
    if is_float(layer.output):
        return _float_work(layer, "sum", "sum")
    return _work(layer, "sum", layer.params.multiplier, layer.params.shift)


def _axes(layer: Layer) -> list[int]:
    require_types(layer, *NUMBERS, inputs=1)
    if not layer.input(0).size or not layer.output.size:
        raise UnsupportedError("a tensor has no elements")
    mask, rank = layer.params.axis_mask, len(layer.input(0).shape)
    if mask < 0:
        raise UnsupportedError("the axes must be constant")
    if rank > 6:
        raise UnsupportedError(f"expected at most 6 axes, got {rank}")
    return [axis for axis in range(rank) if mask >> axis & 1]


def _count(layer: Layer) -> int:
    return prod(layer.input(0).shape[axis] for axis in _axes(layer))


def _work(layer: Layer, stem: str, multiplier: int, shift: int) -> Work:
    p = layer.params
    element_ = plus(f"x[{_place(layer)}]", -p.input_zero_point)
    text = fill(
        _SUMS,
        loops=_loops(layer, f"sum = ar_add(sum, {element_});"),
        element=c_type(layer.output),
        moved=with_offset("scaled", p.output_zero_point),
        multiplier=multiplier,
        shift=shift,
        low=p.output_min,
        high=p.output_max,
    )
    return _outer_work(layer, stem, text)


def _float_work(layer: Layer, stem: str, result: str) -> Work:
    loops = _loops(layer, f"sum += x[{_place(layer)}];")
    return _outer_work(layer, stem, fill(_FLOAT_SUMS, loops=loops, result=result))


def _place(layer: Layer) -> str:
    return offset(strides_of(layer.input(0).shape))


def _loops(layer: Layer, body: str) -> str:
    """A statement for all elements that make one of the output."""
    gone, shape = _axes(layer), layer.input(0).shape
    return nested([size if axis in gone else 1 for axis, size in enumerate(shape)], body)


def _outer_work(layer: Layer, stem: str, body: str) -> Work:
    """The work that does ``body`` for every element of the output."""
    gone, x = _axes(layer), layer.input(0)
    outer = [1 if axis in gone else size for axis, size in enumerate(x.shape)]
    parameters = reads(x, "x"), writes(layer.output, "y")
    routine = Routine(stem, parameters, nested(outer, body), about=str(layer))
    return Work(routine, (argument(x), layer.output))


KERNELS = {"MEAN": mean, "SUM": total}
