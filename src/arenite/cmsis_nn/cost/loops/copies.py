"""Loops that copy and fill memory.

Without vectors CMSIS-NN calls the C library. Facts: newlib ``libc/machine/arm/memcpy-armv7m.S``
and ``libc/string/memset.c``; CMSIS-NN ``Include/arm_nnsupportfunctions.h`` (``arm_memcpy_s8``).
"""

from __future__ import annotations

import numpy as np

from arenite.cmsis_nn.cost.loops.loop import Loop
from arenite.ops.constraints import NodeView
from arenite.target import Target


def copies(caller: str, calls: int, size: int, target: Target) -> list[Loop]:
    """``arm_memcpy_s8``: ``calls`` copies of ``size`` bytes, which vectors make in ``caller``."""
    if target.instructions == "mve":
        return [Loop(caller, "copy, 16 bytes", calls * -(-size // 16))]
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

    Paddings that the model does not hold count as none.
    """
    name, before = "arm_pad_s8", np.zeros((4, 2), np.int64)
    sizes = (1,) * (4 - len(view.input(0).shape)) + view.input(0).shape
    paddings = view.input(1).data
    if paddings is not None:
        before[4 - len(view.input(0).shape) :] = paddings.reshape(-1, 2)
    (batches, height, width, depth), outer = sizes, before.sum(1)
    row = (width + int(outer[2])) * (depth + int(outer[3]))
    copied = (
        (batches * height, width * depth) if not outer[3] else (batches * height * width, depth)
    )
    return [
        Loop(name, "call", 1),
        Loop(name, "row", batches * height),
        *copies(name, *copied, target),
        *(
            loop
            for count, size in (
                (batches * height, before[2, 0] * (depth + outer[3])),
                (batches * height, before[2, 1] * (depth + outer[3])),
                (batches, before[1, 0] * row),
                (batches, before[1, 1] * row),
                (1, before[0].sum() * (height + outer[1]) * row),
            )
            for loop in fills(name, count, int(size), target)
        ),
    ]
