"""Faults that come from outside of a call: at the n-th place where one can."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import arenite

#: Where an event counts: what happens inside of other packages is theirs.
FOLDER = str(Path(arenite.__file__).parent)

Event = Callable[[str, Any], bool]
"""``event(kind, argument)``: whether this event of a profiler counts."""


class Trap:
    """Raises an error at the n-th event during a call, as if it came from outside.

    Python looks for signals where a function begins and where a call of C returns: these are the
    events of a profiler. Events count in Arenite's own functions, and in those of the ``packages``
    that read and write for it.
    """

    def __init__(self, counts: Event, error: BaseException, packages: tuple[str, ...] = ()) -> None:
        self._counts = counts
        self._error = error
        self._packages = packages
        self._left = 0
        self.sprung = False
        # Python may still look at its profiler when that has taken itself away: it has to live on.
        self._profiler = self._event

    def call(self, function: Callable[[], Any], number: int) -> Any:
        """Call a function; raise at event ``number`` of it, if it has as many."""
        self._left, self.sprung = number, False
        sys.setprofile(self._profiler)
        try:
            return function()
        finally:
            sys.setprofile(None)

    def _event(self, frame: FrameType, kind: str, argument: Any) -> None:
        if not self._is_ours(frame) or not self._counts(kind, argument):
            return
        self._left -= 1
        if self._left == 0:
            sys.setprofile(None)
            self.sprung = True
            raise self._error.with_traceback(None)  # not with those of former times behind it

    def _is_ours(self, frame: FrameType) -> bool:
        package = str(frame.f_globals.get("__name__", "")).split(".")[0]
        return frame.f_code.co_filename.startswith(FOLDER) or package in self._packages


def interrupts() -> Trap:
    """Ctrl-C, where Python would notice it."""
    return Trap(lambda kind, _: kind in ("call", "c_return"), KeyboardInterrupt())


#: Functions of C that ask the system for something that it may refuse.
_SYSTEM = {
    *("open", "read", "readinto", "readall", "write", "close", "flush", "fstat", "stat", "seek"),
    *("mmap", "replace", "rename", "fsync", "truncate", "unlink", "mkstemp", "fdopen", "chmod"),
}


#: What reads and writes Arenite's files for it.
_READERS = ("zipfile", "wave", "numpy", "PIL")


def refusals(error: OSError) -> Trap:
    """The system refuses what a function of C asks for."""
    return Trap(
        lambda kind, argument: (
            kind == "c_call"
            and getattr(argument, "__name__", "") in _SYSTEM
            and getattr(argument, "__module__", None) in (None, "io", "_io", "posix", "nt")
        ),
        error,
        _READERS,
    )
