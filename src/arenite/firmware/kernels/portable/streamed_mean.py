"""Means of whole images, row by row: sums that wait in memory, and what becomes of them.

Facts: TFLM ``reference/integer_ops/pooling.h`` and ``micro/kernels/reduce_common.cc``.
"""

from __future__ import annotations

from arenite.firmware.c_text import fill
from arenite.firmware.kernels.portable.reduction import mean_multiplier
from arenite.firmware.plan.kernel import Collection, Routine
from arenite.firmware.plan.layers import Layer

#: Four channels of all pixels before the next four: sums stay in registers.
_ADD = """\
for (int32_t c = 0; c + 4 <= $channels; c += 4, sums += 4, x += 4) {
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int32_t i = 0; i < $all; i += $channels)
    s0 += x[i], s1 += x[i + 1], s2 += x[i + 2], s3 += x[i + 3];
  sums[0] += s0, sums[1] += s1, sums[2] += s2, sums[3] += s3;
}
for (int32_t c = 0; c < $channels % 4; ++c)
  for (int32_t i = c; i < $all; i += $channels) sums[c] += x[i];"""

_AVERAGE = """\
for (int32_t c = 0; c < $channels; ++c) {
  const int32_t sum = sums[c];
  const int32_t mean = (sum < 0 ? sum - $half : sum + $half) / $count;
  y[c] = (int8_t)ar_clamp(mean, $low, $high);
}"""

_MEAN = """\
for (int32_t c = 0; c < $channels; ++c) {
  const int32_t scaled = ar_rescale(sums[c] - $zeros, $multiplier, $shift);
  y[c] = (int8_t)ar_clamp_offset(scaled, $zero, $low, $high);
}"""


def collection_of(layer: Layer, rows: int) -> Collection:
    """The routines of AVERAGE_POOL_2D or MEAN over an image, ``rows`` rows at a time."""
    _, height, width, channels = layer.input(0).shape
    count = height * width
    add = Routine(
        "collect",
        ("const int8_t *x", "int32_t *sums"),
        fill(_ADD, all=rows * width * channels, channels=channels),
        about=f"adds up {rows * width} pixels of {channels} channels",
    )
    text = _average(layer, count) if layer.name == "AVERAGE_POOL_2D" else _mean(layer, count)
    finish = Routine(
        "collected", ("const int32_t *sums", "int8_t *y"), text, about=f"the end of {layer}"
    )
    return Collection(add, finish, 4 * channels)


def _average(layer: Layer, count: int) -> str:
    return fill(
        _AVERAGE,
        channels=layer.output.size,
        count=count,
        half=count // 2,
        low=int(layer.params.activation_min),
        high=int(layer.params.activation_max),
    )


def _mean(layer: Layer, count: int) -> str:
    p = layer.params
    multiplier, shift = mean_multiplier(p, count)
    return fill(
        _MEAN,
        channels=layer.output.size,
        zeros=f"({count * p.input_zero_point})",
        multiplier=multiplier,
        shift=shift,
        zero=p.output_zero_point,
        low=p.output_min,
        high=p.output_max,
    )
