"""MNN's convolutions, pools, resizings and normalisations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from arenite.c_text import fill, float_literal, indented, templates, with_lines
from arenite.firmware.kernels.portable.elements import is_float
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.loops import axis_names, nested, offset, strides_of
from arenite.firmware.kernels.portable.needs import require_elements, require_some
from arenite.firmware.kernels.portable.windows import windows
from arenite.firmware.network.kernel import Arrays, Constant, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.firmware.network.records import Windowed
from arenite.mnn.operators.conv_int8 import MnnConvInt8Params
from arenite.mnn.operators.resize_bilinear_int8 import MnnResizeBilinearInt8Params
from arenite.mnn.operators.resize_cubic import MnnResizeCubicParams

_POOL_TAP = "sum += x[(iy * $in_w + ix) * $in_c + n] + 128, ++count;"
_POOL_END = "*y++ = (int8_t)((int32_t)((int64_t)sum * (16777216 / count) / 16777216) - 128);"


def average_pool(layer: Layer[Windowed]) -> Work:
    """Means of what lies in the image, cut off."""
    require_elements(layer)
    x = layer.input(0)
    before = "int32_t sum = 0, count = 0;"
    text = windows(layer, x.shape[3], before, _POOL_TAP, _POOL_END)
    return work_of(layer, text, {"x": x}, stem="average_pool")


_CONV_TAP = """\
const int8_t *pixel = x + (iy * $in_w + ix) * $in_c + $first;
const int8_t *weight = weights + ((n * $kernel_h + ky) * $kernel_w + kx) * $depth;
for (int32_t c = 0; c < $depth; ++c) sum += (pixel[c]$zero) * weight[c];"""
_DEPTHWISE_TAP = """\
sum += (x[(iy * $in_w + ix) * $in_c + n]$zero) * weights[(ky * $kernel_w + kx) * $filters + n];"""
_CONV_END = """\
const float real = (float)sum * factor[n]$offset;
*y++ = $result;"""


def conv_int8(layer: Layer[MnnConvInt8Params]) -> Work:
    """Sums of products, exactly, times a float for every filter."""
    require_elements(layer)
    p, (x, weights) = layer.params, (layer.input(0), layer.input(1))
    options, bias = layer.options, layer.input(2)
    assert weights.data is not None
    assert bias.data is not None
    wide = weights.data.astype(np.int64)
    filters = layer.output.shape[3]
    start = (options.zero + 128) * wide.sum((0, 1, 2) if p.is_depthwise else (1, 2, 3))
    start = start + (bias.data.reshape(-1) if not is_float(bias) else 0)
    total = "int32_t" if p.fits_int32 else "int64_t"
    low, high = float_literal(p.activation_min), float_literal(p.activation_max)
    rounded = f"(int8_t)ar_rounded_away(real, {low}, {high})"
    clamped = f"real != real ? {high} : ar_clamp_float(real, {low}, {high})"
    text = windows(
        layer,
        filters,
        f"{total} sum = start[n];",
        _DEPTHWISE_TAP if p.is_depthwise else _CONV_TAP,
        _CONV_END,
        depth=weights.shape[3],
        first=f"n / {filters // p.groups} * {weights.shape[3]}" if p.groups > 1 else "0",
        zero=f" - {options.zero}".replace("- -", "+ "),
        offset=" + bias[n]" if is_float(bias) else "",
        result=clamped if options.clamp is None else rounded,
    )
    arrays: Arrays = {
        "x": x,
        "weights": Constant("weights", np.ascontiguousarray(weights.data)),
        "start": Constant("start", start.astype(np.int32 if p.fits_int32 else np.int64)),
        "factor": Constant("factor", np.asarray(p.factor, np.float32)),
    }
    if is_float(bias):
        arrays["bias"] = Constant("bias", np.asarray(p.offset, np.float32))
    return work_of(layer, text, arrays, stem="conv_int8")


_C = templates(__name__)


def transpose_conv(layer: AnyLayer) -> Work:
    """Every pixel times every filter, with dilation and groups."""
    options, x, weights = layer.options, layer.input(0), layer.input(1)
    require_some(x, weights, layer.output)
    groups, kernel_h, kernel_w, depth, own = weights.shape
    images, in_h, in_w, in_c = x.shape
    bias = layer.inputs[2] if len(layer.inputs) > 2 else None
    text = fill(
        _C["transposed"],
        **{"images": images, "in_h": in_h, "in_w": in_w, "in_c": in_c},
        **{"image": in_h * in_w * in_c, "filters": groups * own, "own": own, "depth": depth},
        **{"out_h": options.output[0], "out_w": options.output[1]},
        **{"kernel_h": kernel_h, "kernel_w": kernel_w},
        **{"stride_h": options.stride[0], "stride_w": options.stride[1]},
        **{"dilation_h": options.dilation[0], "dilation_w": options.dilation[1]},
        **{"top": options.padding[0], "left": options.padding[1]},
        bias="sum += (double)bias[n];" if bias is not None else "",
        low=float_literal(options.low),
        high=float_literal(options.high),
    ).replace("+ -", "- ")
    arrays = {"x": x, "weights": weights, **({} if bias is None else {"bias": bias})}
    return work_of(layer, text, arrays, stem="transpose_conv")


_PIXEL = "x[rows[$taps * oy + i] + columns[$taps * ox + j] + c]$zero"
_FROM_INT8 = """\
const int32_t size = ((sum < 0 ? -sum : sum) + (1 << 13)) >> 14;
*y++ = (int8_t)ar_sign_extend((uint32_t)((sum < 0 ? -size : size)$zero), 8);"""


def resize_cubic(layer: Layer[MnnResizeCubicParams]) -> Work:
    """Four rows and four columns around every position."""
    pairs = [(one.positions, one.weights) for one in (layer.params.rows, layer.params.columns)]
    return _resized(layer, pairs, "float", result="*y++ = sum;")


def resize_bilinear_int8(layer: Layer[MnnResizeBilinearInt8Params]) -> Work:
    """Two rows and two columns, by weights in 128ths."""
    p = layer.params
    pairs = [(p.rows, p.row_weights), (p.columns, p.column_weights)]
    result = _FROM_INT8.replace("$zero", _plus(p.output_zero_point))
    return _resized(layer, pairs, "int32_t", zero=_plus(-p.input_zero_point), result=result)


def _plus(zero: int) -> str:
    return f" + {zero}".replace("+ -", "- ") if zero else ""


def _resized(
    layer: AnyLayer, pairs: Sequence[tuple[Any, Any]], total: str, *, zero: str = "", result: str
) -> Work:
    """``pairs`` are places and weights of rows, then of columns, some for every position."""
    require_elements(layer)
    x, y = layer.input(0), layer.output
    images, height, width, channels = x.shape
    text = fill(
        _C["resize"].replace("$pixel", _PIXEL),
        **{"images": images, "image": height * width * channels, "channels": channels},
        **{"out_h": y.shape[1], "out_w": y.shape[2]},
        **{"taps": pairs[0][0].shape[1], "total": total, "zero": zero, "result": result},
    )
    arrays: Arrays = {"x": x}
    steps = {"row": width * channels, "column": channels}
    for (places, weights), (name, step) in zip(pairs, steps.items(), strict=True):
        offsets = (places * step).astype(np.int32).reshape(-1)
        dtype = np.float32 if total == "float" else np.int32
        arrays[f"{name}s"] = Constant("offsets", offsets)
        arrays[f"{name}_weights"] = Constant("weights", np.asarray(weights, dtype).reshape(-1))
    return work_of(layer, text, arrays)


_REACH = """\
const int32_t from_$name = $name < $before ? 0 : $name - $before;
const int32_t to_$name = $name - $before + $size > $n ? $n : $name - $before + $size;"""


def lrn(layer: AnyLayer) -> Work:
    """Every element by the mean square of its neighbours; zeros lie around."""
    require_elements(layer)
    options, x = layer.options, layer.input(0)
    names, axes = axis_names(len(x.shape)), sorted(set(options.axes))
    lines, own = [], list(names)
    for axis in axes:
        sizes = {"before": options.size // 2, "size": options.size, "n": x.shape[axis]}
        counter = names[axis] if x.shape[axis] > 1 else "0"
        text = fill(
            _REACH.replace("$name <", f"{counter} <").replace("$name -", f"{counter} -"),
            name=names[axis],
            **sizes,
        )
        lines.append(text)
        own[axis] = f"at_{names[axis]}"
    strides = strides_of(x.shape)
    terms = [f"{name} * {step}" for name, step in zip(own, strides, strict=True) if step]
    loops = (
        f"const float one = x[{' + '.join(terms) or '0'}];\nsquares += (double)one * (double)one;"
    )
    for axis in reversed(axes):
        at, name = own[axis], names[axis]
        head = f"for (int32_t {at} = from_{name}; {at} < to_{name}; ++{at}) {{"
        loops = f"{head}\n{indented(loops)}\n}}"
    text = fill(
        _C["lrn"],
        loops="\n".join([*lines, loops]),
        bias=float_literal(options.bias),
        alpha=float_literal(options.alpha),
        beta=float_literal(-options.beta),
        count=f"{float(options.size) ** len(options.axes)!r}",
        place=offset(strides),
    )
    return work_of(layer, nested(x.shape, text), {"x": x}, stem="lrn")


_MEAN = """\
for (int32_t j = 0; j < $inner; ++j) mean += (double)x[j];
mean /= $inner;"""


def layer_norm(layer: AnyLayer) -> Work:
    """Rows of mean 0 and variance 1, times factors, plus biases."""
    options, x = layer.options, layer.input(0)
    require_some(x, layer.output)
    inner = prod(x.shape[len(x.shape) - options.axes :])
    named = {
        name: value
        for name, value in zip(("factor", "bias"), layer.inputs[1:], strict=False)
        if value
    }
    text = fill(
        with_lines(_C["layer_norm"], mean="" if options.rms else _MEAN),
        rows=x.size // inner,
        inner=inner,
        epsilon=float_literal(options.epsilon),
        factor=" * (double)factor[j]" if "factor" in named else "",
        bias=" + (double)bias[j]" if "bias" in named else "",
    )
    return work_of(layer, text, {"x": x, **named}, stem="layer_norm")


KERNELS = {
    "MNN_AVERAGE_POOL": average_pool,
    "MNN_CONV_INT8": conv_int8,
    "MNN_TRANSPOSE_CONV": transpose_conv,
    "MNN_RESIZE_CUBIC": resize_cubic,
    "MNN_RESIZE_BILINEAR_INT8": resize_bilinear_int8,
    "MNN_LRN": lrn,
    "MNN_LAYER_NORM": layer_norm,
}
