"""Operators along axes: ARG_MAX, ARG_MIN, REDUCE_ALL, REDUCE_MAX, REDUCE_MIN, CUMSUM.

An axis that is fed and is none of the input's, or with which the output has another size, which the
engine refuses, gives zeros.

Facts: TFLM ``reference/arg_min_max.h``, ``reference/reduce.h``, ``micro/kernels/cumsum.cc``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import prod

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.portable.axes import reduction
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.needs import require_some
from arenite.firmware.kernels.portable.unary import every
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import TensorType
from arenite.ops.shared.arg_min_max import ArgMinMaxParams
from arenite.ops.shared.reduction import ReductionParams
from arenite.ops.tflite.cumsum import CumsumParams

_C = templates(__name__)
_ADD_FLOAT = "total += x[at];"
_PUT_FLOAT = "y[at] = total;"
_ADD_INT8 = "total += (uint32_t)(x[at] - $zero) << 19;"
_PUT_INT8 = """\
const int32_t scaled = ar_rescale(ar_wrap(total), $multiplier, $shift);
y[at] = (int8_t)ar_clamp(ar_add(scaled, $output_zero), -128, 127);"""

_KNOWN = "const int32_t outer = $outer, count = $count, inner = $inner;"
_CASE = """\
  case $axis:
  case $negative: outer = $outer, count = $count, inner = $inner; break;"""

#: What a reduction begins with, by type, and what it takes of an element.
_REDUCTIONS = {
    "REDUCE_ALL": ({TensorType.BOOL: "1"}, "result = result != 0 && $x != 0;"),
    "REDUCE_MAX": (
        {TensorType.INT8: "-128", TensorType.FLOAT32: "-3.40282347e+38f"},
        "if ($x > result) result = $x;",
    ),
    "REDUCE_MIN": (
        {TensorType.INT8: "127", TensorType.FLOAT32: "3.40282347e+38f"},
        "if ($x < result) result = $x;",
    ),
}


def arg_min_max(layer: Layer[ArgMinMaxParams]) -> Work:
    """The place of the first of the largest, or smallest; NaN is neither."""
    x, y = layer.input(0), layer.output
    require_some(x, y)
    fitting = [axis for axis, size in enumerate(x.shape) if x.size // size == y.size]
    text = fill(_C["arg"], sign=">" if layer.name == "ARG_MAX" else "<")
    return _along(layer, fitting, text)


def reduce(layer: Layer[ReductionParams]) -> Work:
    """Reduce all elements along some axes to one; an axis may be empty."""
    x, y = layer.input(0), layer.output
    require_some(x if x.is_constant else None, y)
    first, step = _REDUCTIONS[layer.name]
    if not x.size:  # whatever the axes are
        return every(layer, first[x.type])
    first_line = f"{c_type(x)} result = {first[x.type]};"
    return reduction(layer, layer.name.lower(), first_line, step, "*y++ = result;")


def cumsum(layer: Layer[CumsumParams]) -> Work:
    """Sums up to every element, or to the one before it, from one end or the other."""
    p, x = layer.params, layer.input(0)
    require_some(x, layer.output)
    is_float = x.type is TensorType.FLOAT32
    lines = [_ADD_FLOAT, _PUT_FLOAT] if is_float else [_ADD_INT8, _PUT_INT8]
    text = fill(
        with_lines(_C["cumsum"], lines="\n".join(reversed(lines) if p.exclusive else lines)),
        sum="float" if is_float else "uint32_t",
        first="0.0f" if is_float else f"(uint32_t)({-p.input_zero_point}) << 19",
        place="(count - 1 - k)" if p.reverse else "k",
        zero=p.input_zero_point,
        multiplier=p.multiplier,
        shift=p.shift,
        output_zero=p.output_zero_point,
    ).replace("- -", "+ ")
    in_place = () if p.exclusive else (0,)
    return replace(_along(layer, range(len(x.shape)), text), in_place=in_place)


def _along(layer: Layer[CumsumParams | ArgMinMaxParams], axes: Iterable[int], text: str) -> Work:
    """The work of loops along an axis, which is known, or fed and one of those."""
    x, known = layer.input(0), layer.params.axis >= 0
    sizes = fill(_KNOWN, **_sizes(x.shape, layer.params.axis)) if known else _chosen(layer, axes)
    read = {"x": x} if known else {"x": x, "axis": layer.input(1)}
    return work_of(layer, f"{sizes}\n{text}", read)


def _chosen(layer: AnyLayer, axes: Iterable[int]) -> str:
    shape = layer.input(0).shape
    cases = [
        fill(_CASE, axis=axis, negative=axis - len(shape), **_sizes(shape, axis)) for axis in axes
    ]
    return fill(_C["fed"] + "\n" + _C["nowhere"], cases="\n".join(cases), size=layer.output.size)


def _sizes(shape: tuple[int, ...], axis: int) -> dict[str, int]:
    return {
        "outer": prod(shape[:axis]),
        "count": shape[axis],
        "inner": prod(shape[axis + 1 :]),
    }


KERNELS = {
    "ARG_MAX": arg_min_max,
    "ARG_MIN": arg_min_max,
    "CUMSUM": cumsum,
    **dict.fromkeys(_REDUCTIONS, reduce),
}
