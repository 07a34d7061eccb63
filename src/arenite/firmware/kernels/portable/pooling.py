"""AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D.

Facts: TFLM ``reference/integer_ops/pooling.h`` and ``reference/pooling.h``.
"""

from __future__ import annotations

from arenite.c_text import fill, literal, templates, with_lines
from arenite.firmware.kernels.portable.elements import clamped, is_float, require_numbers
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.windows import geometry
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer
from arenite.ops.kernel_util import FLOAT32_LOWEST, QUANTIZED_RANGE
from arenite.ops.shared.pooling import Pool2DParams

_C = templates(__name__)

_MEAN = """\
const int32_t count = (y1 - y0) * (x1 - x0);
value = (value < 0 ? value - count / 2 : value + count / 2) / count;"""
_ROOT = "const float value = ar_root(sum / (float)((y1 - y0) * (x1 - x0)));"


def average_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """The mean of what of a window is in the image; of integers halves go away from zero."""
    finish = "value /= (float)((y1 - y0) * (x1 - x0));" if is_float(layer.output) else _MEAN
    return _work(layer, "0", "value += element;", finish)


def max_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """The largest of what of a window is in the image."""
    step = "value = element > value ? element : value;"
    lowest, _ = QUANTIZED_RANGE.get(layer.output.type, (FLOAT32_LOWEST, 0))
    return _work(layer, literal(lowest), step, "")


def l2_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """Roots of means of squares."""
    low, high = (
        literal(float(end)) for end in (layer.params.activation_min, layer.params.activation_max)
    )
    result = f"value < {low} ? {low} : value > {high} ? {high} : value"
    return _work(layer, "0.0f", "sum += element * element;", _ROOT, name="sum", result=result)


def _work(
    layer: Layer[Pool2DParams],
    start: str,
    step: str,
    finish: str,
    *,
    name: str = "value",
    result: str = "",
) -> Work:
    """A window's start, its turn with an element, and its result."""
    require_numbers(layer)
    pool = _C["pool"]
    text = fill(
        with_lines(pool, finish=finish) if finish else pool.replace("        $finish;\n", ""),
        **geometry(layer),
        start=start,
        step=step,
        sum=name,
        total="float" if is_float(layer.output) else "int32_t",
        result=result or clamped(layer, "value"),
    )
    return work_of(layer, text, {"x": layer.input(0)})


KERNELS = {"L2_POOL_2D": l2_pool_2d, "AVERAGE_POOL_2D": average_pool_2d, "MAX_POOL_2D": max_pool_2d}
