"""No garbage collection while thousands of objects are made that all stay.

Python looks for garbage whenever some hundreds of objects were made, and at all there are now and
then: of the time that a model of 10,000 operators takes, a quarter. There is none to be found.
"""

from __future__ import annotations

import gc
import os

#: One for everybody who has switched the collector off.
_pausing: list[None] = []


class paused:  # noqa: N801 - used as a function, as those of contextlib
    """Switch Python's garbage collector off meanwhile, unless somebody else has.

    For code that calls none of a user's functions. Of two threads the first to end may switch it
    on for the other, which then takes longer; in the end it is on if it was on in the beginning.
    """

    __slots__ = ("_is_paused", "_is_worth_it")

    def __init__(self, is_worth_it: bool = True) -> None:
        self._is_worth_it, self._is_paused = is_worth_it, False

    def __enter__(self) -> None:
        if self._is_worth_it and gc.isenabled():
            _pausing.append(None)
            self._is_paused = True
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._is_paused:
            self._is_paused = False
            gc.enable()
            if _pausing:
                _pausing.pop()


def _go_on() -> None:
    """In a new process, whose other threads are gone: what they have begun does not end there."""
    if _pausing:
        _pausing.clear()
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_go_on)
