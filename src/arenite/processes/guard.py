"""The script around every program that is not Python: ``python -I guard.py PROGRAM ARGUMENT...``.

A program such as a compiler does not look whether anybody waits for it. This process does: it
hands on what it reads, and ends the program when there is nobody left who could write. It needs
the standard library alone.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Thread


def _hand_on(program: subprocess.Popen[bytes]) -> None:
    assert program.stdin is not None
    while data := os.read(0, 1 << 16):
        with suppress(OSError):  # it has ended: its code says so
            program.stdin.write(data)
    program.kill()


def _main(command: list[str]) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    program = subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0)
    signal.signal(signal.SIGTERM, lambda *_: program.kill())
    Thread(target=_hand_on, args=(program,), daemon=True).start()
    code = program.wait()
    # As shells say it: a signal's number and 128.
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
