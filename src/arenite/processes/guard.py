"""The script around every program that is not Python.

``python -I guard.py MEMORY PROGRAM ARGUMENT...``; it may take so many bytes of memory, 0 is any.

A program such as a compiler does not look whether anybody waits for it. This process does: it
hands on what it reads, and ends the program when there is nobody left who could write; with it end
the processes that it has started, which are of one group. It needs the standard library alone.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Thread


class _Program(subprocess.Popen[bytes]):
    """The program, and whether it was ended here."""

    is_ended = False

    def end(self, *_: object) -> None:
        """End it."""
        self.is_ended = True
        self.kill()


def _hand_on(program: _Program) -> None:
    assert program.stdin is not None
    while data := os.read(0, 1 << 16):
        with suppress(OSError):  # it has ended: its code says so
            program.stdin.write(data)
    program.end()


def _limit(memory: int) -> None:
    """Limit this process and its children, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _main(memory: str, *command: str) -> int:
    if int(memory):
        _limit(int(memory))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    program = _Program(command, stdin=subprocess.PIPE, bufsize=0)
    signal.signal(signal.SIGTERM, program.end)
    Thread(target=_hand_on, args=(program,), daemon=True).start()
    code = program.wait()
    if program.is_ended and os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # what it has started, and this process
    # As shells say it: a signal's number and 128.
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
