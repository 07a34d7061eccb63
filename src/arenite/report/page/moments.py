"""Moments of an inference in words."""

from __future__ import annotations

from collections.abc import Sequence

from arenite.memory.liveness import Moment
from arenite.memory.plan import PlannedBuffer


def moment_text(moments: Sequence[Moment], place: int) -> str:
    """``operator 3``, ``operator 1.3`` of subgraph 1, ``inputs``."""
    moment = moments[place]
    if moment.operator < 0:
        return f"inputs of subgraph {moment.subgraph}" if moment.subgraph else "the inputs"
    return f"operator {operator_place(moment)}"


def operator_place(moment: Moment) -> str:
    """An operator's number, behind that of its subgraph unless that is the main one."""
    prefix = f"{moment.subgraph}." if moment.subgraph else ""
    return f"{prefix}{moment.operator}"


def alive_text(moments: Sequence[Moment], buffer: PlannedBuffer) -> str:
    """A buffer's first and last moment: ``operator 2 to operator 4``."""
    begin, last = max(buffer.begin, 0), buffer.end - 1
    if last < begin:
        return "never"
    first = moment_text(moments, begin)
    return first if begin == last else f"{first} to {moment_text(moments, last)}"
