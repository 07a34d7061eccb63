"""Kernels in Thumb-2 with the DSP extension: Cortex-M4, M7, M33.

One module per kind of layer. Where a precondition does not hold, the layer is done in plain C, and
the reason is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from arenite.firmware.kernels.cortex_m.addition import add_sub
from arenite.firmware.kernels.cortex_m.convolution import conv_2d
from arenite.firmware.kernels.cortex_m.depthwise import depthwise_conv_2d
from arenite.firmware.kernels.cortex_m.lstm import lstm
from arenite.firmware.kernels.cortex_m.moving import in_assembly
from arenite.firmware.kernels.cortex_m.pointwise import fully_connected
from arenite.firmware.kernels.cortex_m.pooling import average_pool_2d, max_pool_2d, mean
from arenite.firmware.kernels.cortex_m.selection import selection
from arenite.firmware.kernels.portable import MOVERS, work_with
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer

KERNELS: dict[str, Callable[[Layer[Any]], Work]] = {
    "ADD": add_sub,
    "AVERAGE_POOL_2D": average_pool_2d,
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected,
    "MAXIMUM": selection,
    "MAX_POOL_2D": max_pool_2d,
    "MEAN": mean,
    "MINIMUM": selection,
    "SUB": add_sub,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": lstm,
    **{name: partial(kernel, write=in_assembly) for name, kernel in MOVERS.items()},
}

#: A layer in assembly, or as plain C with the reason why.
cortex_m_work = partial(work_with, KERNELS)
