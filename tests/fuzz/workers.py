"""Processes that handle cases, with limits on time and memory.

The parent prepares everything once and forks; a child handles case after case and says what
came of each. One that dies is an outcome of the case that it was at, and is replaced. Time is
the processor's, so that a busy machine does not make a hang.
"""

from __future__ import annotations

import os
import re
import resource
import select
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

#: Seconds of the processor, and bytes of memory more than before, that a case may take.
SECONDS, MEMORY = 5.0, 500 << 20
#: Seconds of a clock after which a child is taken for dead.
_DEADLINE = 90.0

Handle = Callable[[int], str]


class Case(NamedTuple):
    """A case that was handled: seconds of the processor, bytes of memory that were added."""

    number: int
    outcome: str
    seconds: float = 0.0
    memory: int = 0


def handled(numbers: Sequence[int], handle: Handle, prepare: Callable[[], None]) -> Iterator[Case]:
    """Every case with its outcome. ``prepare`` is called in each new child."""
    position = 0
    while position < len(numbers):
        with _Child(numbers[position:], handle, prepare) as child:
            for case in child.cases():
                position += 1
                yield case
            if position < len(numbers) and child.status:
                yield Case(numbers[position], child.ended())
                position += 1


class _Child:
    """A forked process that goes through cases until one is its end."""

    def __init__(self, numbers: Sequence[int], handle: Handle, prepare: Callable[[], None]) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self._pipe, sink = os.pipe()
        self._pid = os.fork()
        self.status: int | None = None
        if self._pid == 0:
            os.dup2(self._log.fileno(), 2)
            os.close(self._pipe)
            try:
                prepare()
                _serve(numbers, handle, sink)
            finally:
                os._exit(1)
        os.close(sink)

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._pipe)
        self._log.close()

    def cases(self) -> Iterator[Case]:
        """Outcomes as they come; behind the last one :attr:`status` says how it ended."""
        rest = b""
        while True:
            if not select.select([self._pipe], [], [], _DEADLINE)[0]:
                os.kill(self._pid, signal.SIGXCPU)
            data = os.read(self._pipe, 1 << 16)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                number, seconds, memory, outcome = line.decode().split("\t", 3)
                yield Case(int(number), outcome, float(seconds), int(memory))
        self.status = os.waitpid(self._pid, 0)[1]

    def ended(self) -> str:
        """How the process died, as an outcome."""
        assert self.status is not None
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            if number in (signal.SIGPROF, signal.SIGXCPU):
                return f"HANG, more than {SECONDS:g} s"
            what = signal.Signals(number).name
        else:
            what = f"exit code {os.WEXITSTATUS(self.status)}"
        self._log.seek(0)
        return f"CRASH, {what}{blame(self._log.read().decode(errors='replace'))}"


def blame(log: str) -> str:
    """What a sanitizer, or Python, says of a crash: its kind and the first place of ours."""
    found = re.search(r"runtime error: (.*)", log) or re.search(
        r"SUMMARY: AddressSanitizer: (\S+)", log
    )
    place = re.search(r"(\w+\.[ch]):\d+", log)
    parts = [found.group(1)[:60] if found else "", place.group(0) if place else ""]
    return "".join(f", {part}" for part in parts if part)


def _serve(numbers: Sequence[int], handle: Handle, sink: int) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    before = _peak()
    for number in numbers:
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        outcome = handle(number)
        signal.setitimer(signal.ITIMER_PROF, 0)
        seconds, memory = time.process_time() - began, _peak() - before
        if memory > MEMORY and not outcome.startswith("FOREIGN"):
            outcome = f"MEMORY, more than {MEMORY >> 20} MB"
        line = f"{number}\t{seconds:.3f}\t{memory}\t{' '.join(outcome.split())}\n"
        os.write(sink, line.encode(errors="replace"))
        if memory > MEMORY // 5:  # the peak stays: the next case needs another process
            os._exit(0)
    os._exit(0)


def _peak() -> int:
    """The most memory that this process had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
