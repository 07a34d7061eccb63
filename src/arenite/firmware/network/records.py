"""Common parts of the records of several operators, for kernels that take any of them."""

from __future__ import annotations

from typing import Protocol

from arenite.ops.shared.window import Window


class Windowed(Protocol):
    """Of operators that move a window over an image."""

    @property
    def window(self) -> Window:
        """The window."""


class Clamped(Protocol):
    """Of operators whose outputs are clamped."""

    @property
    def activation_min(self) -> float:
        """The lowest output."""

    @property
    def activation_max(self) -> float:
        """The highest output."""


class Offset(Protocol):
    """Of operators that add to their input: to each element, less its zero point."""

    @property
    def input_offset(self) -> int:
        """Number that is added."""
