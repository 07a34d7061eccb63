"""DEPTHWISE_CONV_2D: windows inside the image channel by channel, those at its edges apart.

Facts: TFLM ``reference/integer_ops/depthwise_conv.h`` and ``reference/depthwiseconv_float.h``.
"""

from __future__ import annotations

from math import prod

from arenite.c_text import fill, literal, templates, with_lines
from arenite.firmware.kernels.portable.elementwise_loop import c_type
from arenite.firmware.kernels.portable.sums import (
    Sums,
    sums_of,
    sums_work,
    without_zero,
)
from arenite.firmware.kernels.portable.tiles import nth, tiles, width_of
from arenite.firmware.kernels.portable.windows import inside, sides
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

_C = templates(__name__)
#: Weights of a channel that 32-bit cores have registers for.
_TAPS = 12


def depthwise_conv_2d(layer: Layer[DepthwiseConv2DParams]) -> Work:
    """A convolution of every channel by itself, with depth multiplier and dilation."""
    sums, (rows, columns) = sums_of(layer, channel_axis=-1), sides(layer)
    positions = (rows.end - rows.first) * (columns.end - columns.first)
    has_inside = positions > 1 and _fits_registers(layer, sums)
    has_around = not has_inside or positions < rows.size * columns.size
    at = with_lines(_C["at"], tiles=_taps(layer, sums))
    around = with_lines(_C["all"], at=with_lines(_C["some"], at=at) if has_inside else at)
    if has_inside:
        around = with_lines(_C["around"], all=around)
    text = with_lines(
        _C["depthwise"],
        inside=_inside(layer, sums) if has_inside else "",
        around=around if has_around else "",
    )
    text = fill(
        text,
        **inside(layer),
        **{"first_y": rows.first, "end_y": rows.end, "total": sums.total},
        **{"first_x": columns.first, "end_x": columns.end},
        **{"element": c_type(layer.input(0)), "output": c_type(layer.output)},
        first_left=columns.first * layer.params.window.stride[1] - layer.params.window.padding[1],
        across=layer.params.window.stride[1] * layer.input(0).shape[3],
        filters=layer.output.shape[3],
        out_image=prod(layer.output.shape[1:]),
    )
    return sums_work(layer, "depthwise_conv_2d", text, sums, channel_axis=-1)


def _fits_registers(layer: Layer[DepthwiseConv2DParams], sums: Sums) -> bool:
    """Whether a channel's weights can stay in registers."""
    is_narrow = not sums.is_packed and sums.total != "int64_t"
    return is_narrow and prod(layer.params.window.filter_size) <= _TAPS


def _channel(layer: Layer[DepthwiseConv2DParams], n: str) -> str:
    """The input's channel of an output's."""
    multiple = layer.params.depth_multiplier
    if layer.input(0).shape[3] == 1:
        return "0"
    return n if multiple == 1 else f"({n}) / {multiple}"


def _inside(layer: Layer[DepthwiseConv2DParams], sums: Sums) -> str:
    """Loops over the windows that lie in the image."""
    window, (_, _, width, channels) = layer.params.window, layer.input(0).shape
    filters, (kernel_h, kernel_w) = layer.output.shape[3], window.filter_size
    taps = [(ky, kx) for ky in range(kernel_h) for kx in range(kernel_w)]
    weights, products = [], []
    for number, (ky, kx) in enumerate(taps):
        place = (ky * window.dilation[0] * width + kx * window.dilation[1]) * channels
        weights.append(f"const $total w{number} = weights[{nth('n', number * filters)}];")
        products.append(sums.add(f"pixel[{place}]", f"w{number}"))
    start = f"const $total start = {sums.started()};"
    if sums.total != "float" and layer.params.input_offset:
        every = " + ".join(f"w{number}" for number in range(len(taps)))
        offset = literal(layer.params.input_offset)
        start = f"const $total all = {every};\n{sums.add('all', offset, 'start')}"
        start = f"$total start = {sums.started()};\n{start}"
    text = with_lines(
        _C["inside"],
        weights="\n".join(weights),
        start=start,
        products="\n".join(products),
        store=sums.finished(y="*out"),
    )
    return text.replace("$channel", _channel(layer, "n"))


def _taps(layer: Layer[DepthwiseConv2DParams], sums: Sums) -> str:
    """Sums of several channels of any window."""
    filters, products = layer.output.shape[3], list[str]()
    width = width_of(filters)
    is_shared = layer.input(0).shape[3] == 1
    if is_shared:
        kind = "float" if sums.total == "float" else "int32_t"
        products.append(f"const {kind} value = {without_zero(layer, 'pixel[0]')};")
    for k in range(width):
        x = without_zero(layer, f"pixel[{_channel(layer, nth('n', k))}]")
        weight = sums.weight(nth("w", k))
        products.append(sums.add("value" if is_shared else x, weight, f"s{k}"))
    return tiles(sums, filters, width, _C["taps"], products=products, y="out")


KERNELS = {"DEPTHWISE_CONV_2D": depthwise_conv_2d}
