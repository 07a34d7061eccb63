"""Loops over every output position and what of its window lies in the image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.portable.sums import plus
from arenite.firmware.network.layers import Layer
from arenite.firmware.network.records import Windowed

_C = templates(__name__)


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


@dataclass(frozen=True)
class Side:
    """A window along one axis.

    Attributes:
        first: The first output position whose window lies in the image as a whole.
        end: The first behind them whose does not.
        size: Output positions.
        leaves: Whether some window ends behind the image.
    """

    first: int
    end: int
    size: int
    leaves: bool

    @property
    def is_inside(self) -> bool:
        """Whether all windows lie in the image."""
        return self.first == 0 and not self.leaves


def sides(layer: Layer[Windowed]) -> tuple[Side, Side]:
    """A layer's window along both axes."""
    return _side(layer, 0), _side(layer, 1)


def _side(layer: Layer[Windowed], axis: int) -> Side:
    window, length = layer.params.window, layer.input(0).shape[1 + axis]
    stride, padding, size = window.stride[axis], window.padding[axis], window.output_size[axis]
    reach = (window.filter_size[axis] - 1) * window.dilation[axis] + 1
    first = min(max(-(-padding // stride), 0), size)
    end = min(max((length + padding - reach) // stride + 1, first), size)
    return Side(first, end, size, (size - 1) * stride - padding + reach > length)


_AXES = (("row", "oy", "top", "ky", "iy"), ("column", "ox", "left", "kx", "ix"))


def inside(layer: Layer[Windowed]) -> dict[str, str | int]:
    """The names of :func:`geometry`, and what of the window at ``oy``, ``ox`` lies in the image.

    ``$rows_inside;`` declares what ``$first_row`` and ``$end_row`` name; where windows do not leave
    the image there is nothing to declare. ``top`` is ``$row_top``, ``iy`` is ``$row``.
    """
    names = geometry(layer)
    for axis, (name, place, edge, tap, _) in enumerate(_AXES):
        window, length = layer.params.window, layer.input(0).shape[1 + axis]
        stride, dilation = window.stride[axis], window.dilation[axis]
        kernel, side = window.filter_size[axis], _side(layer, axis)
        lines = []
        names |= {f"first_{name}": "0", f"end_{name}": kernel}
        if side.first:
            first = _quotient(f"-{edge}", dilation)
            lines.append(f"const int32_t first_{name} = {edge} < 0 ? {first} : 0;")
            names[f"first_{name}"] = f"first_{name}"
        if side.leaves:
            reach = (kernel - 1) * dilation
            end = _quotient(f"{length} - {edge}", dilation)
            leaves = plus(edge, reach)
            lines.append(f"const int32_t end_{name} = {leaves} < {length} ? {kernel} : {end};")
            names[f"end_{name}"] = f"end_{name}"
        names[f"{name}s_inside"] = "\n".join(lines)
        names[f"{name}_{edge}"] = plus(times(place, stride), -window.padding[axis])
        names[name] = f"{edge} + {times(tap, dilation)}"
    return names


def _quotient(text: str, by: int) -> str:
    """C for a number that is not negative, divided by a constant and rounded up."""
    return text if by == 1 else f"({text} + {by - 1}) / {by}"


def times(text: str, factor: int) -> str:
    """A product as text."""
    return text if factor == 1 else f"{text} * {factor}"


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
    return fill(with_lines(_C["windows"], before=before, tap=tap, behind=behind), **values)
