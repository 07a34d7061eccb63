"""The least distance of an operator's input above its output, so that nothing is lost.

Kernels read and write in ascending order. So an output may begin some bytes *below* its own
input: what is overwritten has been read. With ``W(i)`` the number of output bytes up to the highest
one that is written before input byte ``i`` is read for the last time, the input has to begin

    k >= max over all i that are read of (W(i) - i)

bytes above the output. Every operator says its ``k`` in its own file, for TFLM's reference kernel,
and every function of CMSIS-NN in ``libraries/cmsis_nn/decisions``. That is about the device: host
kernels get a copy of an input that their output reaches into.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm
from typing import NamedTuple

from arenite.memory.liveness import ELEMENT_BYTES
from arenite.ops.constraints import NodeView
from arenite.ops.context import TfLiteTensor


class Clearance(NamedTuple):
    """By how many bytes an input may begin above the output that reaches into it.

    Attributes:
        least: The least number of bytes.
        step: 1 where any greater number is safe as well, n where ``least`` plus multiples of n
            are, 0 where there is no other.
    """

    least: int
    step: int = 1

    def allows(self, distance: int) -> bool:
        """Whether an input may begin that many bytes above the output."""
        if self.step == 0 or distance < self.least:
            return distance == self.least
        return (distance - self.least) % self.step == 0


#: ``overlap(view, position)``: what a node allows its lone output on the input at a position of
#: its list; None where the two must be apart.
Overlap = Callable[[NodeView, int], Clearance | None]


def both(one: Clearance | None, other: Clearance | None) -> Clearance | None:
    """Overlap that two kernels allow; None where nothing is certain.

    >>> both(Clearance(5), Clearance(16, 16))
    Clearance(least=16, step=16)
    """
    if one is None or other is None:
        return None
    if one.step == 0 or other.step == 0:
        least = one.least if one.step == 0 else other.least
        exact = Clearance(least, 0)
        return exact if one.allows(least) and other.allows(least) else None
    if one.least < other.least:
        one, other = other, one
    for least in range(one.least, one.least + one.step * other.step, one.step):
        if other.allows(least):
            return Clearance(least, lcm(one.step, other.step))
    return None


def element_bytes(tensor: TfLiteTensor) -> int:
    """Bytes of an element in the arena."""
    return ELEMENT_BYTES[tensor.type]
