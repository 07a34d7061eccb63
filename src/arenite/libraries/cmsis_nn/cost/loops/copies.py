"""Loops that copy and fill memory.

Without vectors CMSIS-NN calls the C library. Facts: newlib ``libc/machine/arm/memcpy-armv7m.S``
(of Armv6-M ``memcpy.c``) and ``libc/string/memset.c``; CMSIS-NN
``Include/arm_nnsupportfunctions.h`` (``arm_memcpy_s8``).
"""

from __future__ import annotations

import numpy as np

from arenite.libraries.costs import Loop
from arenite.ops.constraints import NodeView
from arenite.target import Target


def copies(caller: str, calls: int, size: int, target: Target) -> list[Loop]:
    """``arm_memcpy_s8``: ``calls`` copies of ``size`` bytes, which vectors make in ``caller``.

    Without DSP instructions those of Armv6-M are meant: all of it byte by byte unless words meet.
    """
    if target.instructions == "mve":
        return [Loop(caller, "copy, 16 bytes", calls * -(-size // 16))]
    if target.instructions == "plain" and (size % 4 or size < 16):
        return [Loop("memcpy", "byte by byte", calls), Loop("memcpy", "byte", calls * size)]
    return memcpy(calls, size)


def fills(caller: str, calls: int, size: int, target: Target) -> list[Loop]:
    """``arm_memset_s8``: ``calls`` fills of ``size`` bytes, which vectors make in ``caller``."""
    if target.instructions == "mve":
        return [Loop(caller, "fill, 16 bytes", calls * -(-size // 16))]
    return memset(calls, size)


def memcpy(calls: int, size: int) -> list[Loop]:
    """Words in ever smaller blocks; sizes that are no multiple of 4 leave words unaligned."""
    if size < 4:
        return [Loop("memcpy", "under 4 bytes", calls)]
    if size < 8:
        return [Loop("memcpy", "under 8 bytes", calls)]
    return [
        Loop("memcpy", "unaligned" if size % 4 else "aligned", calls),
        Loop("memcpy", "64 bytes", calls * (size // 64)),
        Loop("memcpy", "16 bytes", calls * (size % 64 // 16)),
        Loop("memcpy", "4 bytes", calls * (size % 16 // 4)),
    ]


def memset(calls: int, size: int) -> list[Loop]:
    """Words; single bytes before and after them."""
    if size < 4:
        return [Loop("memset", "under 4 bytes", calls), Loop("memset", "byte", calls * size)]
    return [
        Loop("memset", "unaligned" if size % 4 else "aligned", calls),
        Loop("memset", "16 bytes", calls * (size // 16)),
        Loop("memset", "4 bytes", calls * (size % 16 // 4)),
    ]


def move(caller: str, size: int, target: Target) -> list[Loop]:
    """``size`` bytes move by less than a block: vectors do it in ``caller``, else ``memmove``."""
    if target.instructions == "mve":
        return [Loop(caller, "copy, 16 bytes", -(-size // 16))]
    return [Loop("memmove", "call", 1), Loop("memmove", "byte", size)]


def arm_pad_s8(view: NodeView, target: Target) -> list[Loop]:
    """Rows are copied where channels are not padded, else pixels; what lies between is filled.

    Every end is filled by a call of its own, be it empty. Paddings that the model does not hold
    count as none.
    """
    name, ends = "arm_pad_s8", np.zeros((4, 2), np.int64)
    sizes = (1,) * (4 - len(view.input(0).shape)) + view.input(0).shape
    paddings = view.input(1).data
    if paddings is not None:
        ends[4 - len(view.input(0).shape) :] = paddings.reshape(-1, 2)
    (batches, height, width, depth), outer = sizes, ends.sum(1)
    pixel = depth + int(outer[3])
    row = (width + int(outer[2])) * pixel
    image = (height + int(outer[1])) * row
    rows = batches * height
    pixels = rows * width if outer[3] else 0
    copied = (pixels, depth) if pixels else (rows, width * depth)
    filled = [(pixels, ends[3]), (rows, ends[2] * pixel), (batches, ends[1] * row)]
    return [
        Loop(name, "call", 1),
        Loop(name, "image", batches),
        Loop(name, "row", rows),
        Loop(name, "pixel", pixels),
        *copies(name, *copied, target),
        *(
            loop
            for count, sides in (*filled, (1, ends[0] * image))
            for size in sides
            for loop in fills(name, count, int(size), target)
        ),
    ]
