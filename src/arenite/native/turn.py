"""The token of a turn, and a turn that ended before it began; no engine is needed."""

from __future__ import annotations


def new_turn() -> list[None]:
    """A list whose last element is a token, which ``pop(TOKEN)`` takes and ``append`` gives back.

    Under it lies another one, which nobody takes: a list that is never empty, and never longer
    than it began, keeps its memory, so that giving back cannot fail.
    """
    return [None, None]


#: The token's place.
TOKEN = 1


def give_back(turn: list[None]) -> None:
    """Undo a turn: a signal's handler raised when its token was taken."""
    if len(turn) == TOKEN:
        turn.append(None)
