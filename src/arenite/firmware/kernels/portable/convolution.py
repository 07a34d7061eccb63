"""CONV_2D, FULLY_CONNECTED and TRANSPOSE_CONV as sums of products.

Of the first two several filters are summed at a time. Facts: TFLM
``reference/integer_ops/conv.h``, ``fully_connected.h`` and ``transpose_conv.h``, and those of the
same names for floats in ``reference``.
"""

from __future__ import annotations

from typing import Any

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.portable.elementwise_loop import c_type
from arenite.firmware.kernels.portable.sums import (
    Sums,
    can_fold,
    plus,
    sums_of,
    sums_work,
    without_zero,
)
from arenite.firmware.kernels.portable.tiles import (
    nth,
    step_of,
    tiles,
    width_of,
    width_within,
)
from arenite.firmware.kernels.portable.windows import inside, sides, times
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.fully_connected import FullyConnectedParams
from arenite.ops.tflite.transpose_conv import TransposeConvParams

_C = templates(__name__)


def conv_2d(layer: Layer[Conv2DParams]) -> Work:
    """A convolution, with groups and dilation."""
    sums = sums_of(layer)
    filters, kernel_h, kernel_w, depth = layer.input(1).shape
    if _is_pointwise(layer):
        return _rows(layer, "conv_2d", sums)
    fold = can_fold(layer, sums) and all(side.is_inside for side in sides(layer))
    own = filters // layer.params.groups
    is_run = layer.params.groups == 1 and layer.params.window.dilation[1] == 1
    x = "pixel[{}]" if fold else without_zero(layer, "pixel[{}]")
    width = width_of(own) if is_run else width_within(own)
    step = step_of(depth)
    products = _products(sums, width, kernel_h * kernel_w * depth, step, x)
    body = tiles(sums, filters, width, _C["runs"] if is_run else _C["pixels"], products=products)
    names = inside(layer)
    run = "({end_column} - {first_column})".format(**names)
    if all(str(names[end]).isdigit() for end in ("first_column", "end_column")):
        run = str(kernel_w)
    text = fill(
        with_lines(_C["windows"], tiles=body),
        **names,
        **{"element": c_type(layer.input(0)), "depth": depth, "own": own},
        filters=filters,
        run=times(run, depth),
        step=step,
    )
    return sums_work(layer, "conv_2d", text, sums, fold=fold)


def _is_pointwise(layer: Layer[Conv2DParams]) -> bool:
    """Whether every pixel is a row of a matrix."""
    window = layer.params.window
    measures = (*window.filter_size, *window.stride, *window.padding)
    return measures == (1, 1, 1, 1, 0, 0) and layer.params.groups == 1


def fully_connected(layer: Layer[FullyConnectedParams]) -> Work:
    """A matrix product per row of the input."""
    return _rows(layer, "fully_connected", sums_of(layer))


def _rows(layer: Layer[Any], stem: str, sums: Sums) -> Work:
    """Products of rows and a matrix."""
    shape = layer.input(1).shape
    filters, depth = shape[0 if len(shape) == 4 else -2], shape[-1]
    fold = can_fold(layer, sums)
    x = "x[{}]" if fold else without_zero(layer, "x[{}]")
    more = 0 if sums.total == "float" else getattr(layer.params, "filter_offset", 0)
    width = width_of(filters)
    step = step_of(depth)
    products = _products(sums, width, depth, step, x, filter_offset=more)
    text = fill(
        with_lines(_C["rows"], tiles=tiles(sums, filters, width, _C["row"], products=products)),
        rows=layer.input(0).size // depth,
        depth=depth,
        filters=filters,
        step=step,
    )
    return sums_work(layer, stem, text, sums, fold=fold)


def _products(
    sums: Sums, width: int, apart: int, step: int, x: str, *, filter_offset: int = 0
) -> list[str]:
    """The statements of the innermost loop: an input times a weight of every filter of a tile.

    Args:
        sums: How.
        width: Filters of a tile.
        apart: Weights from a filter to the next.
        step: Products of a sum in a turn.
        x: An input; ``{}`` is its place.
        filter_offset: What is added to weights.
    """
    kind = "float" if sums.total == "float" else "int32_t"
    lines = []
    for number in range(step):
        value = f"x{number}"
        lines.append(f"const {kind} {value} = {x.format(nth('c', number))};")
        for k in range(width):
            weight = sums.weight(nth("w + c", number + k * apart))
            lines.append(sums.add(value, plus(weight, filter_offset), f"s{k}"))
    return lines


def transpose_conv(layer: Layer[TransposeConvParams]) -> Work:
    """Input pixels times filters, added to the output at steps of the stride."""
    sums, params = sums_of(layer, 2, 1), layer.params
    filters, kernel_h, kernel_w, depth = layer.input(1).shape
    images, in_h, in_w, _ = layer.input(2).shape
    width, step = width_of(filters), step_of(depth)
    x = without_zero(layer, "pixel[{}]", 2)
    products = _products(sums, width, kernel_h * kernel_w * depth, step, x)
    body = fill(
        with_lines(
            _C["transposed"],
            tiles=tiles(sums, filters, width, _C["reaching"], products=products),
        ),
        element=c_type(layer.input(2)),
        **{"images": images, "in_h": in_h, "in_w": in_w, "image": in_h * in_w * depth},
        **{"out_h": layer.output.shape[1], "out_w": layer.output.shape[2], "filters": filters},
        **{"kernel_h": kernel_h, "kernel_w": kernel_w, "depth": depth, "step": step},
        **{"stride_h": params.stride[0], "stride_w": params.stride[1]},
        **{"top": params.padding[0], "left": params.padding[1]},
    )
    return sums_work(layer, "transpose_conv", body, sums, positions=(2, 1))


KERNELS = {
    "CONV_2D": conv_2d,
    "FULLY_CONNECTED": fully_connected,
    "TRANSPOSE_CONV": transpose_conv,
}
