"""What the loops of many C functions share."""

from __future__ import annotations

from typing import Literal

from arenite.libraries.shapes import ConvShape


def taps_inside(conv: ConvShape) -> int:
    """Taps of all windows of one image that meet the image and no padding."""
    return axis_inside(conv, "h") * axis_inside(conv, "w")


def axis_inside(conv: ConvShape, axis: Literal["h", "w"]) -> int:
    """Taps along one axis of all windows along it that meet the image."""
    size, taps, stride, padding, dilation, outputs = (
        int(getattr(part, axis))
        for part in (
            conv.input,
            conv.filter,
            conv.stride,
            conv.padding,
            conv.dilation,
            conv.output,
        )
    )
    starts = (index * stride - padding for index in range(outputs))
    return sum(0 <= start + tap * dilation < size for start in starts for tap in range(taps))
