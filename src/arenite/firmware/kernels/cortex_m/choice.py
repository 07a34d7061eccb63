"""Other kernels of a layer, where there is flash for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arenite.firmware.kernels.cortex_m.tiles import SIZES
from arenite.firmware.kernels.cortex_m.winograd import winograd
from arenite.firmware.network.kernel import UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.tflite.conv_2d import Conv2DParams


def offers(layer: Layer[Any], work: Work) -> list[Work]:
    """Faster ways, of larger constants, to do a layer that is done by ``work``."""
    return [] if layer.name != "CONV_2D" or work.reason else list(_sizes(layer))


def _sizes(layer: Layer[Conv2DParams]) -> Iterator[Work]:
    for tiles in SIZES:
        try:
            yield winograd(layer, tiles)
        except UnsupportedError:
            continue
