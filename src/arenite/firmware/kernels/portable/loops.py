"""Nested loops over the elements of arrays, as C text."""

from __future__ import annotations

from collections.abc import Sequence

from arenite.c_text import indented


def strides_of(shape: Sequence[int]) -> list[int]:
    """Elements between neighbours along every axis; 0 along axes of one element."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step if size > 1 else 0)
        step *= size
    return strides[::-1]


def broadcast_strides(shape: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Strides of an array that is broadcast to a shape of as many axes or more."""
    return [0] * (len(wanted) - len(shape)) + strides_of(shape)


def axis_names(rank: int) -> list[str]:
    """Counters for so many axes, the outermost first: ``i`` to ``n``, or ``i0``, ``i1`` ..."""
    return list("ijklmn"[:rank]) if rank <= 6 else [f"i{axis}" for axis in range(rank)]


def offset(strides: Sequence[int]) -> str:
    """The place of an element: ``"i * 12 + k"``."""
    terms = [
        name if step == 1 else f"{name} * {step}"
        for name, step in zip(axis_names(len(strides)), strides, strict=True)
        if step
    ]
    return " + ".join(terms) or "0"


def nested(shape: Sequence[int], body: str) -> str:
    """``body`` in one loop per axis of more than one element."""
    for name, size in reversed(list(zip(axis_names(len(shape)), shape, strict=True))):
        if size == 1:
            continue
        body = f"for (int32_t {name} = 0; {name} < {size}; ++{name}) {{\n{indented(body)}\n}}"
    return body
