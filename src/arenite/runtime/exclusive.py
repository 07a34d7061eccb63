"""One caller at a time: who works in an arena holds its only token meanwhile.

Taking the token and giving it back are one operation of a list each, which is atomic and takes
a third of a ``threading.Lock``'s time. A caller who finds none gets ``StateError`` at once:
waiting would hide that two threads overwrite each other's inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from arenite.errors import in_use
from arenite.native.turn import TOKEN, give_back

Turn = list[None]
"""Holds a token while nobody works in the arena."""


class Owner(Protocol):
    """An object whose methods take turns."""

    @property
    def _turn(self) -> Turn: ...


P = ParamSpec("P")
S = TypeVar("S", bound=Owner)
R = TypeVar("R")


def exclusive(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method that raises ``StateError`` while another call works in the arena."""

    @wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        turn = self._turn
        try:
            turn.pop(TOKEN)
        except IndexError:
            raise in_use() from None
        except BaseException:  # a signal's handler raised, when the token was taken
            give_back(turn)
            raise
        try:
            return method(self, *args, **kwargs)
        finally:
            turn.append(None)

    return call


def exclusive_inference(method: Callable[[S], R]) -> Callable[[S], R]:
    """:func:`exclusive` for an inference, which makes no objects on its way."""

    @wraps(method)
    def call(self: S, /) -> R:
        turn = self._turn
        try:
            turn.pop(TOKEN)
        except IndexError:
            raise in_use() from None
        except BaseException:
            give_back(turn)
            raise
        try:
            return method(self)
        finally:
            turn.append(None)

    return call
