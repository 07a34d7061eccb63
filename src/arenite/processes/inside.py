"""Inside of a Python child: it runs a module, answers questions, and ends with its driver."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from queue import SimpleQueue
from threading import Thread, Timer
from typing import Any, NoReturn

from arenite.processes.messages import packed, unpacked
from arenite.processes.verdict import write_verdict

Answer = Callable[[Any], Any]

#: Bytes of a length, before every question and answer. A length of 0: no question follows.
LENGTH = 8
#: Seconds that a child has for cleaning up when its driver is gone.
_GRACE = 0.5
#: Seconds after which a child is asked again for an end that Python dropped.
_AGAIN = 0.01
_questions: SimpleQueue[bytes | None] = SimpleQueue()


def run(module: str, arguments: list[str], verdict: str = "") -> int:
    """Run ``main(arguments)`` of a module until it ends or the driver is gone; its exit code.

    With ``verdict`` the code is written down there, as the last thing that is done.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    sys.unraisablehook = _not_raised
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    Thread(target=_listen, daemon=True).start()
    try:
        code: int = import_module(module).main(arguments)
    except Exception:
        sys.excepthook(*sys.exc_info())
        code = 1
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends anyway
    if verdict:
        write_verdict(verdict, code)
    return code


def serve(begin: Callable[[], Answer], read: Callable[[bytes], Any] = unpacked) -> None:
    """Answer questions until there are no more; what is printed goes to the error stream.

    Args:
        begin: Gives the function that answers; what it raises is the answer to the first question.
        read: Makes a question of bytes, as the driver has packed it.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answer: Answer | None = None
    while (question := _questions.get()) is not None:
        try:
            answer = answer or begin()
            reply = _packed("answer", answer(read(question)))
        except Exception as error:
            reply = _packed("raised", error)
        try:
            answers.write(len(reply).to_bytes(LENGTH, "little"))
            answers.write(reply)
            answers.flush()
        except BrokenPipeError:  # the driver is gone, and so is whoever would read an error
            with suppress(OSError):
                answers.close()
            sys.exit(1)


def _packed(kind: str, thing: Any) -> bytes:
    try:
        return packed((kind, thing))
    except Exception as error:
        what = thing if kind == "raised" else error
        return packed(("raised", RuntimeError(f"{type(what).__name__}: {what}")))


def _listen() -> None:
    """Take questions from the driver, until it says that there are no more, or is gone."""
    with open(0, "rb", closefd=False) as stdin:
        while len(head := stdin.read(LENGTH)) == LENGTH:
            length = int.from_bytes(head, "little")
            if not length:
                _questions.put(None)
                return
            question = stdin.read(length)
            if len(question) < length:
                break
            _questions.put(question)
    _thread.interrupt_main(signal.SIGTERM)
    _questions.put(None)
    time.sleep(_GRACE)
    os._exit(1)


def _not_raised(unraisable: Any) -> None:
    """Ask again for an end that came in a finaliser or a callback, where Python drops it."""
    if not isinstance(unraisable.exc_value, SystemExit):
        sys.__unraisablehook__(unraisable)
        return
    signal.signal(signal.SIGTERM, _end)
    # Later, from another thread: raised in here it would be dropped as well.
    Timer(_AGAIN, os.kill, [os.getpid(), signal.SIGTERM]).start()


def _end(*_: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough, what is cleaned up is not cut
    sys.exit(128 + signal.SIGTERM)
