"""CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and TRANSPOSE_CONV as plain loops.

Facts: TFLM ``reference/integer_ops/conv.h``, ``depthwise_conv.h``, ``fully_connected.h`` and
``transpose_conv.h``, and those of the same names for floats in ``reference``.
"""

from __future__ import annotations

from typing import Any

from arenite.c_text import fill, templates
from arenite.firmware.kernels.portable.elements import is_float
from arenite.firmware.kernels.portable.elementwise_loop import c_type
from arenite.firmware.kernels.portable.sums import Sums, plus, sums_of, sums_work
from arenite.firmware.kernels.portable.windows import windows
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.firmware.network.records import Offset
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams
from arenite.ops.tflite.fully_connected import FullyConnectedParams
from arenite.ops.tflite.transpose_conv import TransposeConvParams

_CONV_TAP = """\
const $element *pixel = x + (iy * $in_w + ix) * $in_c + n / $group_filters * $depth;
const int32_t w = ((n * $kernel_h + ky) * $kernel_w + kx) * $depth;
for (int32_t c = 0; c < $depth; ++c) $add"""

_DEPTHWISE_TAP = """\
const int32_t w = (ky * $kernel_w + kx) * $filters + n;
$add"""

_C = templates(__name__)
_FULLY_CONNECTED = _C["fully_connected"]
_TRANSPOSED = _C["transposed"]


def conv_2d(layer: Layer[Conv2DParams]) -> Work:
    """A convolution, with groups and dilation."""
    sums = sums_of(layer)
    filters, _, _, depth = layer.input(1).shape
    add = sums.add(_without_zero(layer, "pixel[c]"), sums.weight("w + c"))
    own = filters // layer.params.groups
    tap = _CONV_TAP.replace("$add", add)
    return _windows(layer, "conv_2d", sums, filters, tap, depth=depth, group_filters=own)


def depthwise_conv_2d(layer: Layer[DepthwiseConv2DParams]) -> Work:
    """A convolution of every channel by itself, with depth multiplier and dilation."""
    sums, multiple = sums_of(layer), layer.params.depth_multiplier
    x = f"x[(iy * $in_w + ix) * $in_c + n / {multiple}]"
    tap = _DEPTHWISE_TAP.replace("$add", sums.add(_without_zero(layer, x), sums.weight("w")))
    return _windows(layer, "depthwise_conv_2d", sums, layer.input(1).shape[3], tap)


def fully_connected(layer: Layer[FullyConnectedParams]) -> Work:
    """A matrix product per row of the input."""
    sums = sums_of(layer)
    filters, depth = layer.input(1).shape[-2:]
    weight = sums.weight("w + c")
    if sums.total != "float":
        weight = plus(weight, layer.params.filter_offset)
    body = fill(
        _FULLY_CONNECTED,
        **_names(layer, sums),
        images=layer.input(0).size // depth,
        filters=filters,
        depth=depth,
        add=sums.add(_without_zero(layer, "x[c]"), weight).removesuffix(";"),
        finish=sums.finish,
    )
    return sums_work(layer, "fully_connected", body, filters, (0, 1))


def transpose_conv(layer: Layer[TransposeConvParams]) -> Work:
    """Input pixels times filters, added to the output at steps of the stride."""
    sums, params = sums_of(layer, 2, 1), layer.params
    filters, kernel_h, kernel_w, depth = layer.input(1).shape
    images, in_h, in_w, _ = layer.input(2).shape
    body = fill(
        _TRANSPOSED,
        **_names(layer, sums, 2),
        **{"images": images, "in_h": in_h, "in_w": in_w, "image": in_h * in_w * depth},
        **{"out_h": layer.output.shape[1], "out_w": layer.output.shape[2], "filters": filters},
        **{"kernel_h": kernel_h, "kernel_w": kernel_w, "depth": depth},
        **{"stride_h": params.stride[0], "stride_w": params.stride[1]},
        **{"top": params.padding[0], "left": params.padding[1]},
        add=sums.add(_without_zero(layer, "pixel[c]"), "weights[w + c]").removesuffix(";"),
        finish=sums.finish,
    )
    return sums_work(layer, "transpose_conv", body, filters, (2, 1))


def _names(layer: AnyLayer, sums: Sums, x: int = 0) -> dict[str, str | int]:
    """The names of types in the templates."""
    return {"total": sums.total, "start": sums.start, "element": c_type(layer.input(x))}


def _without_zero(layer: Layer[Offset], text: str) -> str:
    """An input less its zero point; floats have none."""
    return text if is_float(layer.output) else plus(text, layer.params.input_offset)


def _windows(
    layer: Layer[Conv2DParams | DepthwiseConv2DParams],
    stem: str,
    sums: Sums,
    filters: int,
    tap: str,
    **more: Any,
) -> Work:
    names = _names(layer, sums) | more
    text = windows(layer, filters, "$total sum = $start;", tap, sums.finish, **names)
    return sums_work(layer, stem, text, filters, (0, 1))


KERNELS = {
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected,
    "TRANSPOSE_CONV": transpose_conv,
}
