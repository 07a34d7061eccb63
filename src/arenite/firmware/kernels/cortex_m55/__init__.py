"""Kernels in C with the intrinsics of M-profile vectors (MVE, Helium): Cortex-M55.

One module per kind of layer. Requantisation and its proof are those of
:mod:`arenite.firmware.kernels.cortex_m`. Where a precondition does not hold, the layer is done in
plain C, and the reason is kept.

Facts: Arm Cortex-M55 Software Optimization Guide; ACLE, ``arm_mve.h``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from arenite.firmware.kernels.cortex_m55.addition import add_sub
from arenite.firmware.kernels.cortex_m55.convolution import conv_2d
from arenite.firmware.kernels.cortex_m55.depthwise import depthwise_conv_2d
from arenite.firmware.kernels.cortex_m55.fully_connected import fully_connected
from arenite.firmware.kernels.portable import work_with
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer

KERNELS: dict[str, Callable[[Layer[Any]], Work]] = {
    "ADD": add_sub,
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected,
    "SUB": add_sub,
}

#: A layer with vectors, or as plain C with the reason why.
cortex_m55_work = partial(work_with, KERNELS)
