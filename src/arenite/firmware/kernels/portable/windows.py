"""Loops over every output position and what of its window lies in the image."""

from __future__ import annotations

from typing import Any

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.network.layers import Layer
from arenite.firmware.network.records import Windowed

_C = templates(__name__)
_WINDOWS = _C["windows"]


def geometry(layer: Layer[Windowed]) -> dict[str, str | int]:
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


def windows(
    layer: Layer[Windowed], filters: int, before: str, tap: str, behind: str, **more: Any
) -> str:
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
    return fill(with_lines(_WINDOWS, before=before, tap=tap, behind=behind), **values)
