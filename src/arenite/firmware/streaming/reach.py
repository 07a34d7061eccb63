"""Rows of inputs that a layer reads for rows of its output.

Rows above and below an image, as a window with padding reads them, lie in rings like any other
row, filled with what padding holds; so a layer of a few rows has no padding above and below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from arenite.firmware.network.kernel import UnsupportedError
from arenite.firmware.network.layers import AnyLayer, Layer, Value
from arenite.firmware.network.records import Windowed
from arenite.model import TensorType
from arenite.ops.registry import traits_of
from arenite.ops.shared.pad import PadParams
from arenite.ops.shared.pooling import Pool2DParams
from arenite.ops.shared.reduction import ReductionParams

_BYTE_TYPES = (TensorType.INT8, TensorType.UINT8)


@dataclass(frozen=True)
class Reach:
    """Row y of the output needs ``kernel`` rows of an input, from ``y * stride - top`` on.

    Attributes:
        input: The input's number.
        kernel: Rows.
        stride: Rows from the first of one output row to the first of the next.
        top: Rows above the image that are read.
        bottom: Rows below.
        pad: What a byte of those holds.
    """

    input: int
    kernel: int = 1
    stride: int = 1
    top: int = 0
    bottom: int = 0
    pad: int = 0

    def first(self, row: int) -> int:
        """The first row that an output row needs."""
        return row * self.stride - self.top

    def end(self, row: int) -> int:
        """Behind the last row that an output row needs."""
        return self.first(row) + self.kernel

    def rows_for(self, row: int) -> int:
        """The number of rows that an output row takes; rows above come with the first one."""
        return max(self.end(row), 1)

    @property
    def is_padded(self) -> bool:
        """Whether rows outside of the image are read."""
        return self.top > 0 or self.bottom > 0


@dataclass(frozen=True)
class Reaches:
    """A layer by rows.

    Attributes:
        rows: Of the output; of the input where it ``collects``.
        inputs: One for each input that is no constant.
        collects: Whether it takes row by row and gives its only one at the end.
    """

    rows: int
    inputs: tuple[Reach, ...]
    collects: bool = False


def reaches_of(layer: AnyLayer) -> Reaches:
    """A layer by rows.

    Raises:
        UnsupportedError: It needs an input as a whole, or is not of images; says why.
    """
    if layer.kernel is not None:
        raise UnsupportedError("a kernel of yours in C++ takes its inputs as a whole")
    if len(layer.outputs) != 1 or layer.output.type.bits % 8:
        raise UnsupportedError("a layer of one output, of whole bytes, goes by rows")
    for value in (*layer.present(), layer.output):
        if value.is_variable:
            raise UnsupportedError(f"the variable {value.name!r} does not go by rows")
        if len(value.shape) != 4 or value.shape[0] != 1 or not value.size:
            raise UnsupportedError(f"expected one image, got a tensor of {value.shape}")
    find = _finder(layer.name)
    if find is None:
        raise UnsupportedError(f"{layer.name} does not go by rows")
    return find(layer)


def goes_by_rows(name: str) -> bool:
    """Whether layers of an operator may go by rows at all."""
    return _finder(name) is not None


def _finder(name: str) -> Callable[[Layer[Any]], Reaches] | None:
    return _elementwise if traits_of(name).elementwise else _REACHES.get(name)


def _window(layer: Layer[Windowed]) -> Reaches:
    window, x = layer.params.window, layer.input(0)
    kernel = (window.filter_size[0] - 1) * window.dilation[0] + 1
    rows, stride, top = window.output_size[0], window.stride[0], window.padding[0]
    if top < 0:
        raise UnsupportedError("a negative padding does not go by rows")
    bottom = max((rows - 1) * stride - top + kernel - x.shape[1], 0)
    pad = 0
    if top or bottom:
        pad = _padding(layer)
    return Reaches(rows, (Reach(0, kernel, stride, top, bottom, pad),))


def _padding(layer: AnyLayer) -> int:
    """A byte of what stands for rows outside of the image."""
    x = layer.input(0)
    if layer.name == "AVERAGE_POOL_2D":
        raise UnsupportedError("an average over what is in the image does not go by rows")
    if layer.name == "MAX_POOL_2D":
        if x.type is not TensorType.INT8:
            raise UnsupportedError("a padded maximum goes by rows for int8 only")
        return -128
    return x.zero_point if x.type in _BYTE_TYPES else 0


def _average(layer: Layer[Pool2DParams]) -> Reaches:
    window, (_, height, width, _) = layer.params.window, layer.input(0).shape
    if window.output_size == (1, 1) and window.filter_size == (height, width):
        return _collected(layer)
    return _window(layer)


def _mean(layer: Layer[ReductionParams]) -> Reaches:
    x, y = layer.input(0).shape, layer.output.shape
    if layer.params.axis_mask != 0b110 or y != (1, 1, 1, x[3]):
        raise UnsupportedError("only means over height and width go by rows")
    return _collected(layer)


def _collected(layer: AnyLayer) -> Reaches:
    x = layer.input(0)
    if x.type is not TensorType.INT8 or layer.output.type is not TensorType.INT8:
        raise UnsupportedError("only means of int8 go by rows")
    if x.size // x.shape[3] >= 1 << 23:
        raise UnsupportedError("sums of so many pixels leave 32 bits")
    return Reaches(x.shape[1], (Reach(0),), collects=True)


def _elementwise(layer: AnyLayer) -> Reaches:
    shape = layer.output.shape
    for value in layer.inputs:
        if value is None:
            continue
        if value.data is None and value.shape != shape:
            raise UnsupportedError("an input that is repeated does not go by rows")
        if value.data is not None and _rows_of(value) > 1:
            raise UnsupportedError("a constant of several rows does not go by rows")
    return _row_by_row(layer)


def _concatenation(layer: AnyLayer) -> Reaches:
    if len(_fed(layer)) < len(layer.inputs):
        raise UnsupportedError("a constant that is put beside rows does not go by rows")
    widths = {(value.shape[1], value.shape[2]) for value in layer.present()}
    if widths != {layer.output.shape[1:3]}:
        raise UnsupportedError("images put below each other do not go by rows")
    return _row_by_row(layer)


def _row_by_row(layer: AnyLayer) -> Reaches:
    return Reaches(layer.output.shape[1], tuple(Reach(number) for number in _fed(layer)))


def _pad(layer: Layer[PadParams]) -> Reaches:
    p, x, y = layer.params, layer.input(0), layer.output
    inside = [stop - start for start, stop in zip(p.start, p.stop, strict=True)]
    if tuple(inside) != x.shape or x.type is not TensorType.INT8 or len(layer.inputs) > 2:
        raise UnsupportedError("only int8 images padded with zero points go by rows")
    top, bottom = p.start[1], y.shape[1] - p.stop[1]
    return Reaches(y.shape[1], (Reach(0, 1, 1, top, bottom, p.pad_value),))


def _fed(layer: AnyLayer) -> list[int]:
    """Numbers of the inputs that are no constants."""
    return [i for i, value in enumerate(layer.inputs) if value is not None and value.data is None]


def _rows_of(value: Value) -> int:
    """The number of different rows of a constant for an image."""
    return prod(value.shape[:-2])


_REACHES: dict[str, Callable[[Layer[Any]], Reaches]] = {
    **dict.fromkeys(("CONV_2D", "DEPTHWISE_CONV_2D", "MAX_POOL_2D"), _window),
    "AVERAGE_POOL_2D": _average,
    "CONCATENATION": _concatenation,
    "MEAN": _mean,
    "PAD": _pad,
}


# -- a layer of a few rows ----------------------------------------------------------------


def part_of(layer: AnyLayer, reaches: Reaches, rows: int) -> AnyLayer:
    """The layer that makes ``rows`` rows of another one's output, wherever in the image."""
    inputs = list(layer.inputs)
    for reach in reaches.inputs:
        read = reach.kernel + (rows - 1) * reach.stride
        inputs[reach.input] = _of_rows(layer.input(reach.input), read)
    output = _of_rows(layer.output, 1 if reaches.collects else rows)
    params, runs = _params(layer.params, rows), max(reaches.rows // rows, 1)
    return replace(layer, inputs=tuple(inputs), outputs=(output,), params=params, runs=runs)


def _of_rows(value: Value, rows: int) -> Value:
    return replace(value, shape=(1, rows, *value.shape[2:]))


def _params(params: Any, rows: int) -> Any:
    """Parameters without padding above and below."""
    if isinstance(params, PadParams):
        return replace(
            params,
            output_shape=_with_rows(params.output_shape, rows),
            start=_with_rows(params.start, 0),
            stop=_with_rows(params.stop, rows),
        )
    window = getattr(params, "window", None)
    if window is None:
        return params
    padding, size = (0, window.padding[1]), (rows, window.output_size[1])
    return replace(params, window=replace(window, padding=padding, output_size=size))


def _with_rows(axes: tuple[int, ...], rows: int) -> tuple[int, ...]:
    return (axes[0], rows, *axes[2:])
