"""Safe distances that families of operators share; see :mod:`arenite.ops.overlap`."""

from __future__ import annotations

from arenite.ops.constraints import NodeView
from arenite.ops.overlap import Clearance, Overlap, element_bytes


def element_by_element(*positions: int) -> Overlap:
    """Of operators that read element n, or the row that it is in, just before they write it.

    For the inputs at these positions, where they have as many elements as the output: one that is
    broadcast is read again. Only wider elements than the input's catch up with what is to be read.
    """

    def overlap(view: NodeView, position: int) -> Clearance | None:
        if position not in positions:
            return None
        x, y = view.input(position), view.output(0)
        if x.size != y.size or not x.size:
            return None
        return Clearance(max(0, (x.size - 1) * (element_bytes(y) - element_bytes(x))))

    return overlap


def same_place(view: NodeView, position: int) -> Clearance | None:
    """Of operators that copy input 0 with ``memcpy``, and leave that out at the same address."""
    return Clearance(0, 0) if position == 0 else None
