"""Delegates, of which there are none: LiteRT's names, which say so when they are called."""

from __future__ import annotations

from typing import Any


class Delegate:
    """LiteRT's handle of a delegate's library. None can be made.

    Raises:
        ValueError: Always.
    """

    def __init__(self, library: str, options: object = None) -> None:
        raise ValueError(
            f"no delegates: {library!r} cannot be loaded, all operators run on Arenite's own "
            "kernels; make the interpreter without experimental_delegates"
        )


def load_delegate(library: str, options: object = None) -> Any:
    """There are no delegates; scripts that catch the error go on without one.

    Raises:
        ValueError: Always.
    """
    try:
        return Delegate(library, options)
    except ValueError as error:
        raise ValueError(f"Failed to load delegate from {library}\n{error}") from error
