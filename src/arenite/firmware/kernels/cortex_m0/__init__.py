"""Kernels in Thumb-1, of eight registers and products of 32 bits: Cortex-M0 and M0+.

What is not a sum of many products is plain C, and so is what a precondition leaves out; then the
reason is kept.

Facts: Armv6-M Architecture Reference Manual (MULS, what takes high registers).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from arenite.firmware.kernels.cortex_m0.rows import conv_2d, fully_connected
from arenite.firmware.kernels.portable import work_with
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer

KERNELS: dict[str, Callable[[Layer[Any]], Work]] = {
    "CONV_2D": conv_2d,
    "FULLY_CONNECTED": fully_connected,
}

#: A layer in assembly, or as plain C with the reason why.
cortex_m0_work = partial(work_with, KERNELS)
