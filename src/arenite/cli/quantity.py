"""Sizes, clocks and times on the command line; what is none is wrong usage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import typer

T = TypeVar("T")


def read_bytes(text: str | int) -> int:
    """``96k``: see :func:`arenite.quantity.bytes_of`."""
    from arenite.quantity import bytes_of

    return _checked(bytes_of, text)


def read_megahertz(text: str | float) -> float:
    """``168MHz``: see :func:`arenite.quantity.megahertz_of`."""
    from arenite.quantity import megahertz_of

    return _checked(megahertz_of, text)


def read_milliseconds(text: str | float) -> float:
    """``50ms``: see :func:`arenite.quantity.milliseconds_of`."""
    from arenite.quantity import milliseconds_of

    return _checked(milliseconds_of, text)


def read_step(text: str | float) -> float:
    """``20ms``, from one window of sound to the next; 0.01 ms is less than a sample."""
    step = read_milliseconds(text)
    if step < 0.01:
        raise typer.BadParameter(f"expected at least 0.01 ms, got {text!r}")
    return step


def _checked(read: Callable[..., T], text: object) -> T:
    try:
        return read(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
