"""Sizes, clocks and times on the command line; what is none is wrong usage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import typer

T = TypeVar("T")


def read_bytes(text: str | int) -> int:
    """``96k``: see :func:`arenite.quantity.bytes_of`."""
    from arenite.quantity import bytes_of

    return checked(bytes_of, text)


def bytes_option(text: str, *names: str) -> Any:
    """An option of bytes, with its help."""
    return typer.Option(*names, parser=read_bytes, metavar="BYTES", help=text)


def read_megahertz(text: str | float) -> float:
    """``168MHz``: see :func:`arenite.quantity.megahertz_of`."""
    from arenite.quantity import megahertz_of

    return checked(megahertz_of, text)


def read_milliseconds(text: str | float) -> float:
    """``50ms``: see :func:`arenite.quantity.milliseconds_of`."""
    from arenite.quantity import milliseconds_of

    return checked(milliseconds_of, text)


def deadline_option(text: str) -> Any:
    """An option of milliseconds, with its help."""
    return typer.Option(parser=read_milliseconds, metavar="MS", help=text)


def read_step(text: str | float) -> float:
    """``20ms``, from one window of sound to the next; 0.01 ms is less than a sample."""
    step = read_milliseconds(text)
    if step < 0.01:
        raise typer.BadParameter(f"expected at least 0.01 ms, got {text!r}")
    return step


def read_share(text: str | float, most: float, like: str, option: str | None = None) -> float:
    """``20%`` or ``0.2``: a share up to ``most``, of which ``like`` are examples."""
    words = str(text).strip()
    try:
        value = float(words.removesuffix("%")) / (100 if words.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise typer.BadParameter(
            f"expected a share such as {like}, got {text!r}", param_hint=option
        )
    return value


def checked(read: Callable[..., T], *given: object, option: str | None = None) -> T:
    """Result of a function; wrong usage where it refuses what it is given."""
    try:
        return read(*given)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def file_or_names(text: str) -> Path | tuple[str, ...]:
    """A file, or names separated by commas where no file is called so."""
    if "," not in text or Path(text).exists():
        return Path(text)
    return tuple(name.strip() for name in text.split(","))
