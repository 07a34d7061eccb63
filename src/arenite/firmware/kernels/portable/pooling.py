"""AVERAGE_POOL_2D and MAX_POOL_2D.

Facts: TFLM ``reference/integer_ops/pooling.h`` and ``reference/pooling.h``.
"""

from __future__ import annotations

from arenite.c_text import fill, literal, templates, with_lines
from arenite.firmware.kernels.portable.elements import clamped, is_float, require_numbers
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer
from arenite.ops.kernel_util import FLOAT32_LOWEST, QUANTIZED_RANGE
from arenite.ops.shared.pooling import Pool2DParams

_C = templates(__name__)
_POOL = _C["pool"]

_MEAN = """\
const int32_t count = (y1 - y0) * (x1 - x0);
value = (value < 0 ? value - count / 2 : value + count / 2) / count;"""


def average_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """The mean of what of a window is in the image; of integers halves go away from zero."""
    finish = "value /= (float)((y1 - y0) * (x1 - x0));" if is_float(layer.output) else _MEAN
    return _work(layer, "0", "value += element;", finish)


def max_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """The largest of what of a window is in the image."""
    step = "value = element > value ? element : value;"
    lowest, _ = QUANTIZED_RANGE.get(layer.output.type, (FLOAT32_LOWEST, 0))
    return _work(layer, literal(lowest), step, "")


def geometry(layer: Layer[Pool2DParams]) -> dict[str, int]:
    """Sizes, strides and borders of a window that slides over images, by their names in C."""
    window, (images, height, width, channels) = layer.params.window, layer.input(0).shape
    rows = {"in_h": height, "out_h": window.output_size[0], "kernel_h": window.filter_size[0]}
    columns = {"in_w": width, "out_w": window.output_size[1], "kernel_w": window.filter_size[1]}
    borders = {"top": window.padding[0], "left": window.padding[1]}
    strides = {"stride_h": window.stride[0], "stride_w": window.stride[1]}
    whole = {"images": images, "image": height * width * channels, "channels": channels}
    return whole | rows | columns | strides | borders


def _work(layer: Layer[Pool2DParams], start: str, step: str, finish: str) -> Work:
    require_numbers(layer)
    text = fill(
        with_lines(_POOL, finish=finish) if finish else _POOL.replace("        $finish;\n", ""),
        **geometry(layer),
        start=start,
        step=step,
        total="float" if is_float(layer.output) else "int32_t",
        result=clamped(layer, "value"),
    )
    return work_of(layer, text, {"x": layer.input(0)})


KERNELS = {"AVERAGE_POOL_2D": average_pool_2d, "MAX_POOL_2D": max_pool_2d}
