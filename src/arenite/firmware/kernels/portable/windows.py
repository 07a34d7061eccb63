"""Loops over every output position and what of its window lies in the image."""

from __future__ import annotations

from typing import Any

from arenite.firmware.c_text import fill, indented
from arenite.firmware.plan.layers import Layer

#: Every output position, and of its window what lies in the image.
_WINDOWS = """\
for (int32_t b = 0; b < $images; ++b, x += $image) {
  for (int32_t oy = 0; oy < $out_h; ++oy) {
    for (int32_t ox = 0; ox < $out_w; ++ox) {
      for (int32_t n = 0; n < $filters; ++n) {
$before
        for (int32_t ky = 0; ky < $kernel_h; ++ky) {
          const int32_t iy = oy * $stride_h + ky * $dilation_h - $top;
          if (iy < 0 || iy >= $in_h) continue;
          for (int32_t kx = 0; kx < $kernel_w; ++kx) {
            const int32_t ix = ox * $stride_w + kx * $dilation_w - $left;
            if (ix < 0 || ix >= $in_w) continue;
$tap
          }
        }
$behind
      }
    }
  }
}"""


def geometry(layer: Layer) -> dict[str, str | int]:
    """The names of a window's measures in the templates."""
    window, (images, height, width, channels) = layer.params.window, layer.input(0).shape
    return {
        "images": images,
        "image": height * width * channels,
        "in_h": height,
        "in_w": width,
        "in_c": channels,
        "out_h": window.output_size[0],
        "out_w": window.output_size[1],
        "kernel_h": window.filter_size[0],
        "kernel_w": window.filter_size[1],
        "stride_h": window.stride[0],
        "stride_w": window.stride[1],
        "dilation_h": window.dilation[0],
        "dilation_w": window.dilation[1],
        "top": window.padding[0],
        "left": window.padding[1],
    }


def windows(layer: Layer, filters: int, before: str, tap: str, behind: str, **more: Any) -> str:
    """The loops.

    Args:
        layer: Has a window, and its image as the first input.
        filters: Of the output.
        before: What opens the sum of one output, of filter ``n``.
        tap: What adds to it the pixels of image ``x`` at ``iy``, ``ix`` under ``ky``, ``kx``.
        behind: What stores it.
        more: What these texts name besides the window's measures.
    """
    values = geometry(layer) | {"filters": filters, **more}
    parts = {"before": (before, 8), "tap": (tap, 12), "behind": (behind, 8)}
    texts = {name: indented(fill(text, **values), by) for name, (text, by) in parts.items()}
    return fill(_WINDOWS, **values, **texts)
