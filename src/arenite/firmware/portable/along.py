"""Operators along axes: ARG_MAX, ARG_MIN, REDUCE_ALL, REDUCE_MAX, REDUCE_MIN, CUMSUM.

Facts: TFLM ``reference/arg_min_max.h``, ``reference/reduce.h``, ``micro/kernels/cumsum.cc``.
"""

from __future__ import annotations

from math import prod

from arenite.firmware.layers import Layer
from arenite.firmware.portable.each import argument, c_type
from arenite.firmware.portable.loops import nested, offset, strides_of
from arenite.firmware.portable.needs import require_elements, require_some
from arenite.firmware.text import fill
from arenite.firmware.work import Routine, UnsupportedError, Work
from arenite.model import TensorType

_ARG = """\
for (int32_t i = 0; i < $outer; ++i, x += $step) {
  for (int32_t j = 0; j < $inner; ++j) {
    int32_t found = 0;
    for (int32_t k = 1; k < $count; ++k)
      if (x[k * $inner + j] $sign x[found * $inner + j]) found = k;
    *y++ = found;
  }
}"""

_REDUCE = """\
$type result = $first;
$loops
*y++ = result;"""

_CUMSUM = """\
for (int32_t i = 0; i < $outer; ++i, x += $step, y += $step) {
  for (int32_t j = 0; j < $inner; ++j) {
    $sum total = $first;
    for (int32_t k = 0; k < $count; ++k) {
      const int32_t at = $place * $inner + j;
$lines
    }
  }
}"""
_ADD_FLOAT = "      total += x[at];"
_PUT_FLOAT = "      y[at] = total;"
_ADD_INT8 = "      total += (uint32_t)(x[at] - $zero) << 19;"
_PUT_INT8 = """\
      const int32_t scaled = ar_rescale(ar_wrap(total), $multiplier, $shift);
      y[at] = (int8_t)ar_clamp(ar_add(scaled, $output_zero), -128, 127);"""

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


def arg_min_max(layer: Layer) -> Work:
    """The place of the first of the largest, or smallest; NaN is neither."""
    require_elements(layer)
    axis, shape = layer.params.axis, layer.input(0).shape
    if axis < 0:
        raise UnsupportedError("the axis must be constant")
    text = fill(
        _ARG,
        **_sizes(shape, axis),
        sign=">" if layer.name == "ARG_MAX" else "<",
    )
    parameters = (f"const {c_type(layer.input(0))} *x", "int32_t *y")
    routine = Routine(layer.name.lower(), parameters, text, about=str(layer))
    return Work(routine, (argument(layer.input(0)), layer.output))


def reduce(layer: Layer) -> Work:
    """What all elements along some axes make, and none too."""
    x = layer.input(0)
    require_some(x if x.is_constant else None, layer.output)
    mask, rank, kind = layer.params.axis_mask, len(x.shape), c_type(x)
    if mask < 0:
        raise UnsupportedError("the axes must be constant")
    if rank > 6:
        raise UnsupportedError(f"expected at most 6 axes, got {rank}")
    inner = [size if mask >> axis & 1 else 1 for axis, size in enumerate(x.shape)]
    outer = [1 if mask >> axis & 1 else size for axis, size in enumerate(x.shape)]
    first, step = _REDUCTIONS[layer.name]
    place = f"x[{offset(strides_of(x.shape))}]"
    loops = nested(inner, step.replace("$x", place))
    text = nested(outer, fill(_REDUCE, type=kind, first=first[x.type], loops=loops))
    routine = Routine(
        layer.name.lower(), (f"const {kind} *x", f"{kind} *y"), text, about=str(layer)
    )
    return Work(routine, (argument(x), layer.output))


def cumsum(layer: Layer) -> Work:
    """Sums up to every element, or to the one before it, from one end or the other."""
    require_elements(layer)
    p, x = layer.params, layer.input(0)
    if p.axis < 0:
        raise UnsupportedError("the axis must be constant")
    sizes = _sizes(x.shape, p.axis)
    is_float = x.type is TensorType.FLOAT32
    lines = [_ADD_FLOAT, _PUT_FLOAT] if is_float else [_ADD_INT8, _PUT_INT8]
    text = fill(
        _CUMSUM.replace("$lines", "\n".join(reversed(lines) if p.exclusive else lines)),
        **sizes,
        sum="float" if is_float else "uint32_t",
        first="0.0f" if is_float else f"(uint32_t)({-p.input_zero_point}) << 19",
        place=f"({sizes['count'] - 1} - k)" if p.reverse else "k",
        zero=p.input_zero_point,
        multiplier=p.multiplier,
        shift=p.shift,
        output_zero=p.output_zero_point,
    ).replace("- -", "+ ")
    kind = c_type(x)
    routine = Routine("cumsum", (f"const {kind} *x", f"{kind} *y"), text, about=str(layer))
    return Work(routine, (argument(x), layer.output), in_place=() if p.exclusive else (0,))


def _sizes(shape: tuple[int, ...], axis: int) -> dict[str, int]:
    inner = prod(shape[axis + 1 :])
    return {
        "outer": prod(shape[:axis]),
        "inner": inner,
        "count": shape[axis],
        "step": shape[axis] * inner,
    }


KERNELS = {
    "ARG_MAX": arg_min_max,
    "ARG_MIN": arg_min_max,
    "CUMSUM": cumsum,
    **dict.fromkeys(_REDUCTIONS, reduce),
}
