"""Passes of each level of loops of ESP-NN's generic C, from shapes.

Facts: esp-nn ``src/*/*_opt.c`` and ``*_ansi.c``. Functions that these call for a case of their own
(1x1 filters, a depth multiplier of 1) have rows under their own names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from arenite.libraries import shapes
from arenite.libraries.costs import Loop
from arenite.libraries.shapes import ConvShape
from arenite.ops.constraints import NodeView


def loops_of(view: NodeView, function: str) -> list[Loop] | None:
    """The loops of one inference; None where there is no model of them."""
    count = _LOOPS.get(function)
    return None if count is None else [*count(view), Loop("TFLM", "glue", 1)]


def generic(function: str) -> str:
    """The generic C of what a function computes: ``..._s8_opt`` of ``..._s8_esp32s3``."""
    kernel = function.rpartition("_")[0]
    return next((name for name in _LOOPS if name.rpartition("_")[0] == kernel), function)


def _levels(function: str, calls: int, **times: int) -> list[Loop]:
    """Calls, and what runs in them; a name's ``_and_`` stands for a comma."""
    steps = {name.replace("_and_", ", ").replace("_", " "): n for name, n in times.items()}
    return [Loop(function, "call", calls), *(Loop(function, name, n) for name, n in steps.items())]


def _inside(conv: ConvShape) -> tuple[int, int]:
    """Rows of taps of all positions of an image that meet the image, and such taps."""
    taps = shapes.taps_inside(conv)
    return shapes.axis_inside(conv, "h") * conv.output.w, taps


def _convolution(view: NodeView) -> list[Loop]:
    """Output by output; four products at a time along the channels."""
    conv = shapes.convolution(view)
    images, filters, out = conv.input.n, conv.output.c, conv.output
    fours, rest = divmod(conv.filter.c, 4)
    if (conv.filter.h, conv.filter.w) == (1, 1):
        name, taps, more = "esp_nn_conv_s8_1x1", out.h * out.w, {}
    else:
        rows, taps = _inside(conv)
        name = "esp_nn_conv_s8_opt"
        more = {"row_of_taps": images * filters * rows, "tap": images * filters * taps}
    return _levels(
        name,
        images,
        position=images * out.h * out.w,
        output=images * out.h * out.w * filters,
        **more,
        four_products=images * filters * taps * fours,
        product=images * filters * taps * rest,
    )


def _depthwise(view: NodeView) -> list[Loop]:
    """Four outputs of a position at a time, of one channel if its depth is multiplied."""
    conv = shapes.depthwise_convolution(view)
    images, positions = conv.input.n, conv.output.h * conv.output.w
    rows, taps = _inside(conv)
    by = conv.ch_mult
    groups, each = (1, conv.input.c) if by == 1 else (conv.input.c, by)
    fours, rest = (images * groups * part for part in divmod(each, 4))
    more = {} if by == 1 else {"channel": images * positions * groups}
    return _levels(
        "esp_nn_depthwise_conv_s8_" + ("ch_mult_1" if by == 1 else "opt"),
        images,
        position=images * positions,
        **more,
        four_outputs=positions * fours,
        four_outputs_and_row_of_taps=rows * fours,
        four_outputs_and_tap=taps * fours,
        output=positions * rest,
        output_and_row_of_taps=rows * rest,
        output_and_tap=taps * rest,
    )


def _fully_connected(view: NodeView, *, name: str) -> list[Loop]:
    layer = shapes.fully_connected(view)
    outputs = layer.batches * layer.units
    return _levels(name, layer.batches, output=outputs, product=outputs * layer.depth)


def _pooling(view: NodeView, *, name: str) -> list[Loop]:
    conv = shapes.pooling(view)
    rows, taps = _inside(conv)
    images, channels = conv.input.n, conv.output.c
    positions = images * conv.output.h * conv.output.w
    return _levels(
        name,
        images,
        position=positions,
        output=positions * channels,
        row_of_taps=images * rows * channels,
        tap=images * taps * channels,
    )


def _elementwise(view: NodeView, *, name: str) -> list[Loop]:
    return _levels(name, 1, value=view.output(0).size)


def _softmax(view: NodeView) -> list[Loop]:
    """As if no value were too small to count."""
    size, depth = view.input(0).size, view.input(0).shape[-1]
    return _levels("esp_nn_softmax_s8_opt", 1, row=size // max(depth, 1), value=size)


def _named(count: Callable[..., list[Loop]], *names: str) -> dict[str, Callable[..., list[Loop]]]:
    return {name: partial(count, name=name) for name in names}


_LOOPS: dict[str, Callable[..., list[Loop]]] = {
    "esp_nn_conv_s8_opt": _convolution,
    "esp_nn_depthwise_conv_s8_opt": _depthwise,
    "esp_nn_softmax_s8_opt": _softmax,
    **_named(
        _fully_connected,
        "esp_nn_fully_connected_s8_ansi",
        "esp_nn_fully_connected_per_ch_s8_ansi",
    ),
    **_named(_pooling, "esp_nn_avg_pool_s8_ansi", "esp_nn_max_pool_s8_ansi"),
    **_named(_elementwise, "esp_nn_add_elementwise_s8_ansi", "esp_nn_mul_elementwise_s8_ansi"),
}
