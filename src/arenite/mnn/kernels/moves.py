"""MNN's operators that move elements, sort them or go along an axis.

What does not fit, which the engine refuses, counts as the nearest index that there is.
"""

from __future__ import annotations

from math import prod

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.portable.axes import reduction
from arenite.firmware.kernels.portable.elements import is_float
from arenite.firmware.kernels.portable.elementwise_loop import (
    c_type,
    stored,
    stored_argument,
    work_of,
)
from arenite.firmware.kernels.portable.index_maps import move
from arenite.firmware.kernels.portable.loops import nested, offset, strides_of
from arenite.firmware.kernels.portable.needs import require_some
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.mnn.operators.raster import MnnRasterParams


def raster(layer: Layer[MnnRasterParams]) -> Work:
    """Pieces of the inputs, one after the other; zeros where there are none."""
    p: MnnRasterParams = layer.params
    kind, parts = stored(layer.output)
    lines = [f"for (int32_t at = 0; at < {layer.output.size * parts}; ++at) y[at] = 0;"]
    lines = lines if p.clears else []
    lines += [_piece(row, p.rank, parts) for row in p.pieces.tolist()]
    names = [f"x{number}" for number in range(len(layer.inputs))]
    inputs = [layer.input(number) for number in range(len(names))]
    used = {f"x{row[0]}" for row in p.pieces.tolist()}
    lines = [*(f"(void){name};" for name in names if name not in used), *lines]
    arrays = {
        f"const {kind} *{name}": stored_argument(one)
        for name, one in zip(names, inputs, strict=True)
    }
    text = "\n".join(lines)
    return work_of(layer, text, {**arrays, f"{kind} *y": layer.output}, stem="raster")


def _piece(row: list[int], rank: int, parts: int) -> str:
    source, start, target, *axes = row
    size, strides, targets = (axes[i * rank :][:rank] for i in range(3))

    def place(begin: int, steps: list[int]) -> str:
        terms = [step if n > 1 else 0 for n, step in zip(size, steps, strict=True)]
        return f"{offset(terms)} + {begin}".replace("+ -", "- ")

    to, of = place(target, targets), place(start, strides)
    if parts > 1:
        copy = f"y[({to}) * {parts} + part] = x{source}[({of}) * {parts} + part];"
        return nested(size, f"for (int32_t part = 0; part < {parts}; ++part) {copy}")
    return nested(size, f"y[{to}] = x{source}[{of}];")


_ELEMENTS = """\
const int32_t index = *indices < 0 ? *indices + $n : *indices;
++indices;
*y++ = x[$place + ar_clamp(index, 0, $last) * $step];"""


def gather_elements(layer: AnyLayer) -> Work:
    """For every place an element along an axis."""
    x, indices, axis = layer.input(0), layer.input(1), layer.options.axis
    require_some(x, layer.output)
    kind, _ = stored(x)
    steps = strides_of(x.shape)
    inner = [
        0 if a == axis or n == 1 else step
        for a, (n, step) in enumerate(zip(indices.shape, steps, strict=True))
    ]
    n = x.shape[axis]
    line = fill(_ELEMENTS, n=n, last=n - 1, step=steps[axis], place=offset(inner))
    text = nested(indices.shape, line)
    read = {f"const {kind} *x": stored_argument(x), "indices": indices}
    return work_of(layer, text, {**read, f"{kind} *y": layer.output}, stem="gather_elements")


_ONE_HOT = """\
for (int32_t i = 0; i < $outer; ++i, indices += $inner)
  for (int32_t d = 0; d < $depth; ++d)
    for (int32_t j = 0; j < $inner; ++j) *y++ = indices[j] == d ? *on : *off;"""


def one_hot(layer: AnyLayer) -> Work:
    """One value at an index and another one elsewhere, along a new axis."""
    options, indices = layer.options, layer.input(0)
    kind, _ = stored(layer.output)
    text = fill(
        _ONE_HOT,
        outer=prod(indices.shape[: options.axis]),
        inner=prod(indices.shape[options.axis :]),
        depth=options.depth,
    )
    arrays = {
        "indices": indices,
        f"const {kind} *on": stored_argument(layer.input(1)),
        f"const {kind} *off": stored_argument(layer.input(2)),
        f"{kind} *y": layer.output,
    }
    return work_of(layer, text, arrays, stem="one_hot")


_C = templates(__name__)


def top_k(layer: AnyLayer) -> Work:
    """The largest or smallest of every line, in order; NaN counts as the largest."""
    options, x = layer.options, layer.input(0)
    require_some(x, *layer.outputs)

    def before(a: str, b: str) -> str:
        a, b = (a, b) if options.largest else (b, a)
        return f"({a} > {b} || ({a} != {a} && {b} == {b}))" if is_float(x) else f"{a} > {b}"

    inner, size = prod(x.shape[options.axis + 1 :]), x.shape[options.axis]
    text = fill(
        _C["top_k"],
        outer=prod(x.shape[: options.axis]),
        inner=inner,
        size=size,
        step=size * inner,
        out=options.count * inner,
        count=options.count,
        type=c_type(x),
        one_first=before("one", "done"),
        done_first=before("done", "one"),
        better=before("one", "best"),
    )
    written = dict(zip(("values", "places"), layer.outputs, strict=True))
    return work_of(layer, text, {"x": x, **written}, writes=written, stem="top_k")


def cumulate(layer: AnyLayer) -> Work:
    """Running sums or products."""
    options, x = layer.options, layer.input(0)
    require_some(x)
    is_sum, count = options.kind == "SUM", x.shape[options.axis]
    inner = prod(x.shape[options.axis + 1 :])
    sign, function = ("+", "ar_add") if is_sum else ("*", "ar_multiply")
    more = f"total {sign} x[at]" if is_float(x) else f"{function}(total, x[at])"
    lines = [f"total = {more};", "y[at] = total;"]
    text = fill(
        with_lines(_C["cumulate"], lines="\n".join(lines[::-1] if options.exclusive else lines)),
        outer=prod(x.shape[: options.axis]),
        inner=inner,
        step=count * inner,
        count=count,
        type=c_type(x),
        first=0 if is_sum else 1,
        place=f"({count - 1} - k)" if options.reverse else "k",
    )
    return work_of(layer, text, {"x": x}, stem="cumulate")


#: What a reduction begins with, what it does with an element, what it gives.
_FLOATS = {
    "SUM": ("double total = 0;", "total += (double)$x;", "*y++ = (float)total;"),
    "MEAN": ("double total = 0;", "total += (double)$x;", "*y++ = (float)(total / $count);"),
    "PROD": ("double total = 1;", "total *= (double)$x;", "*y++ = (float)total;"),
}
_INTEGERS = {
    "SUM": ("int32_t total = 0;", "total = ar_add(total, $x);", "*y++ = total;"),
    "MEAN": ("int64_t total = 0;", "total += $x;", "*y++ = (int32_t)(total / $count);"),
    "PROD": ("int32_t total = 1;", "total = ar_multiply(total, $x);", "*y++ = total;"),
}
_EXTREMES = {"MAXIMUM": ">", "MINIMUM": "<"}
_LOGICAL = {
    "ANY": ("int32_t is = 0;", "is |= $x != 0;", "*y++ = ($type)is;"),
    "ALL": ("int32_t is = 1;", "is &= $x != 0;", "*y++ = ($type)is;"),
}


def reduce(layer: Layer[None]) -> Work:
    """Reduce all elements along some axes to one."""
    x, kind = layer.input(0), layer.options.kind
    mask = sum(1 << axis for axis in set(layer.options.axes))
    if kind in _EXTREMES:
        nan = " || $x != $x" if is_float(x) else ""
        step = f"if (!is_some || $x {_EXTREMES[kind]} best{nan}) best = $x, is_some = 1;"
        first, last = "$type best = 0;\nint is_some = 0;", "*y++ = best;"
    else:
        first, step, last = (_LOGICAL | (_FLOATS if is_float(x) else _INTEGERS))[kind]
    last = last.replace("$count", str(max(x.size // max(layer.output.size, 1), 1)))
    first, last = (text.replace("$type", c_type(x)) for text in (first, last))
    return reduction(layer, "reduce", first, step, last, mask=mask)


KERNELS = {
    "MNN_TILE": move,
    "MNN_RASTER": raster,
    "MNN_GATHER_ELEMENTS": gather_elements,
    "MNN_ONE_HOT": one_hot,
    "MNN_TOP_K": top_k,
    "MNN_CUMULATE": cumulate,
    "MNN_REDUCE": reduce,
}
