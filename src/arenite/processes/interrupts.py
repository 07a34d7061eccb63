"""Ctrl-C: one line and exit code 130, whatever is being done.

While modules are imported and after a command is done, the process ends at once: an exception there
would be a traceback, or be lost. In between a command cleans up first.

The current folder is not on the import path by then, see :mod:`arenite.processes.paths`.
"""

import atexit
import os
import signal
from types import FrameType
from typing import NoReturn

#: What shells say of a program that Ctrl-C has ended.
CODE = 128 + 2


def take_over() -> None:
    """For a process of the command: Ctrl-C ends it from now on, if it did anything before."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def end_at_once() -> None:
    """From now on Ctrl-C ends the process, where :func:`take_over` has begun it."""
    if signal.getsignal(signal.SIGINT) in _OURS:
        signal.signal(signal.SIGINT, _end)


def clean_up_first() -> None:
    """From now on Ctrl-C is a ``KeyboardInterrupt`` there; the second one ends the process."""
    if signal.getsignal(signal.SIGINT) in _OURS:
        signal.signal(signal.SIGINT, _interrupt)


def finish_at_exit() -> None:
    """Ctrl-C while Python itself ends is too late: the command is done, and its code stays.

    Python gives the signal back to the system then, which would end the process without a word.
    """
    atexit.register(_finish)


def _finish() -> None:
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, *_OURS):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.write(2, b"interrupted\n")
    os._exit(CODE)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt


_OURS = (_end, _interrupt)
