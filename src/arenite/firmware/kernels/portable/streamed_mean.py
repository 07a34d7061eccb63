"""Means of whole images, row by row: sums that wait in memory, and what becomes of them.

Facts: TFLM ``reference/integer_ops/pooling.h`` and ``micro/kernels/reduce_common.cc``.
"""

from __future__ import annotations

from typing import Any

from arenite.c_text import fill, templates
from arenite.firmware.kernels.portable.reduction import mean_multiplier
from arenite.firmware.network.kernel import Collection, Routine
from arenite.firmware.network.layers import Layer
from arenite.ops.shared.pooling import Pool2DParams
from arenite.ops.shared.reduction import ReductionParams

_C = templates(__name__)


def collection_of(layer: Layer[Any], rows: int) -> Collection:
    """The routines of AVERAGE_POOL_2D or MEAN over an image, ``rows`` rows at a time."""
    _, height, width, channels = layer.input(0).shape
    count = height * width
    add = Routine(
        "collect",
        ("const int8_t *x", "int32_t *sums"),
        fill(_C["add"], all=rows * width * channels, channels=channels),
        about=f"adds up {rows * width} pixels of {channels} channels",
    )
    text = _average(layer, count) if layer.name == "AVERAGE_POOL_2D" else _mean(layer, count)
    finish = Routine(
        "collected", ("const int32_t *sums", "int8_t *y"), text, about=f"the end of {layer}"
    )
    return Collection(add, finish, 4 * channels)


def _average(layer: Layer[Pool2DParams], count: int) -> str:
    return fill(
        _C["average"],
        channels=layer.output.size,
        count=count,
        half=count // 2,
        low=int(layer.params.activation_min),
        high=int(layer.params.activation_max),
    )


def _mean(layer: Layer[ReductionParams], count: int) -> str:
    p = layer.params
    multiplier, shift = mean_multiplier(p, count)
    return fill(
        _C["mean"],
        channels=layer.output.size,
        zeros=f"({count * p.input_zero_point})",
        multiplier=multiplier,
        shift=shift,
        zero=p.output_zero_point,
        low=p.output_min,
        high=p.output_max,
    )
