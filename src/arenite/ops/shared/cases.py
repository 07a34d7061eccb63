"""Random models for families of operators, small ones first; see :mod:`arenite.ops.cases`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.cases import Cases, Draw
from arenite.ops.kernel_util import window_output_size

_BYTES = (-128, 127)


def convolution_cases(
    operator: str, options: Callable[..., OptionsTable], *, is_depthwise: bool = False
) -> Cases:
    """A convolution of int8, per channel, with and without bias, padding, strides, dilation."""

    def case(draw: Draw) -> Model:
        size, taps, geometry = _geometry(draw, has_dilation=True)
        batch, depth = draw.integer(1, 2), draw.integer(1, 9)
        channels = draw.integer(1, 9)
        if is_depthwise:
            factor = min(channels, 4)
            channels, geometry = depth * factor, {**geometry, "depth_multiplier": factor}
        weights = (1, *taps, channels) if is_depthwise else (channels, *taps, depth)
        b, x_scale = ModelBuilder(), draw.scale()
        scales = np.array([draw.scale(1e-4, 1e-1) for _ in range(channels)], np.float32)
        x = _port(b.input, "x", (batch, *size, depth), x_scale, draw)
        axis = 3 if is_depthwise else 0
        values = draw.values.integers(-127, 128, weights).astype(np.int8)
        inputs = [x, b.constant("weights", values, scale=scales, quantized_dimension=axis)]
        if draw.integer(0, 1):
            bias = draw.values.integers(-1000, 1000, channels).astype(np.int32)
            inputs.append(b.constant("bias", bias, scale=scales * np.float32(x_scale)))
        y_scale = x_scale * float(scales.mean()) * 64 * float(np.sqrt(taps[0] * taps[1] * depth))
        made = options(fused_activation_function=draw.integer(0, 3) % 3, **geometry)
        output = _output(size, taps, geometry)
        y = _port(b.tensor, "y", (batch, *output, channels), y_scale, draw)
        return _built(b, operator, inputs, y, made)

    return case


def dense_cases(operator: str, options: Callable[..., OptionsTable]) -> Cases:
    """A layer of int8 in which every output sees every input."""

    def case(draw: Draw) -> Model:
        batch, depth, channels = draw.integer(1, 3), draw.integer(1, 40), draw.integer(1, 12)
        b, x_scale, scale = ModelBuilder(), draw.scale(), draw.scale(1e-4, 1e-1)
        x = _port(b.input, "x", (batch, depth), x_scale, draw)
        values = draw.values.integers(-127, 128, (channels, depth)).astype(np.int8)
        inputs = [x, b.constant("weights", values, scale=scale)]
        if draw.integer(0, 1):
            bias = draw.values.integers(-1000, 1000, channels).astype(np.int32)
            inputs.append(b.constant("bias", bias, scale=x_scale * scale))
        y_scale = x_scale * scale * 64 * float(np.sqrt(depth))
        made = options(fused_activation_function=draw.integer(0, 1))
        y = _port(b.tensor, "y", (batch, channels), y_scale, draw)
        return _built(b, operator, inputs, y, made)

    return case


def pooling_cases(operator: str, options: Callable[..., OptionsTable]) -> Cases:
    """Windows over int8, with padding and strides."""

    def case(draw: Draw) -> Model:
        size, taps, geometry = _geometry(draw, has_dilation=False)
        batch, depth, scale = draw.integer(1, 2), draw.integer(1, 9), draw.scale()
        b, zero_point = ModelBuilder(), int(draw.values.integers(*_BYTES, endpoint=True))
        same: dict[str, Any] = {"scale": scale, "zero_point": zero_point}
        x = b.input("x", (batch, *size, depth), "int8", **same)
        y = b.tensor("y", (batch, *_output(size, taps, geometry), depth), "int8", **same)
        made = options(
            filter_height=taps[0],
            filter_width=taps[1],
            fused_activation_function=draw.integer(0, 3) % 3,
            **geometry,
        )
        return _built(b, operator, [x], y, made)

    return case


def binary_cases(operator: str, options: Callable[..., OptionsTable]) -> Cases:
    """Two inputs of int8, alike or one of them stretched."""

    def case(draw: Draw) -> Model:
        shape = [draw.integer(1, 5) for _ in range(draw.integer(1, 4))]
        stretched = draw.integer(0, len(shape))
        second = [1 if stretched == axis + 1 else size for axis, size in enumerate(shape)]
        b = ModelBuilder()
        inputs = [
            _port(b.input, name, dims, draw.scale(0.01, 1), draw)
            for name, dims in (("a", shape), ("b", second))
        ]
        y = _port(b.tensor, "y", shape, draw.scale(0.05, 2), draw)
        return _built(b, operator, inputs, y, options(fused_activation_function=draw.integer(0, 1)))

    return case


def unary_cases(
    operator: str,
    options: Callable[..., OptionsTable] | None = None,
    *,
    output: tuple[float, int] | None = None,
) -> Cases:
    """One input of int8; ``output`` is the only scale and zero point that its output may have."""

    def case(draw: Draw) -> Model:
        shape = [draw.integer(1, 7) for _ in range(draw.integer(1, 4))]
        b = ModelBuilder()
        x = _port(b.input, "x", shape, draw.scale(0.005, 0.5), draw)
        if output is None:
            y = _port(b.tensor, "y", shape, draw.scale(0.005, 0.5), draw)
        else:
            y = b.tensor("y", shape, "int8", scale=output[0], zero_point=output[1])
        return _built(b, operator, [x], y, options() if options else None)

    return case


def _port(add: Callable[..., int], name: str, shape: Any, scale: float, draw: Draw) -> int:
    zero_point = int(draw.values.integers(*_BYTES, endpoint=True))
    return add(name, tuple(shape), "int8", scale=scale, zero_point=zero_point)


def _built(
    b: ModelBuilder, operator: str, inputs: list[int], output: int, options: OptionsTable | None
) -> Model:
    b.operator(operator, inputs, [output], options)
    b.output(output)
    return b.build()


def _geometry(
    draw: Draw, *, has_dilation: bool
) -> tuple[tuple[int, int], tuple[int, int], dict[str, int]]:
    """Size, filter, and the options of a window that fits."""
    taps = draw.integer(1, 4), draw.integer(1, 4)
    dilation = (draw.integer(1, 2), draw.integer(1, 2)) if has_dilation else (1, 1)
    padding = draw.integer(0, 1)
    least = [(t - 1) * d + 1 if padding else 1 for t, d in zip(taps, dilation, strict=True)]
    size = least[0] + draw.integer(0, 6), least[1] + draw.integer(0, 6)
    found = {
        "padding": padding,
        "stride_h": draw.integer(1, 3),
        "stride_w": draw.integer(1, 3),
    }
    if has_dilation:
        found |= {"dilation_h_factor": dilation[0], "dilation_w_factor": dilation[1]}
    return size, taps, found


def _output(
    size: tuple[int, int], taps: tuple[int, int], geometry: dict[str, int]
) -> tuple[int, int]:
    """Height and width of what windows give."""
    sides = [
        window_output_size(
            geometry["padding"],
            size[axis],
            taps[axis],
            geometry[f"stride_{name}"],
            geometry.get(f"dilation_{name}_factor", 1),
        )
        for axis, name in enumerate("hw")
    ]
    return sides[0], sides[1]
