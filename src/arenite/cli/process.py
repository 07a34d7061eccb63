"""The command line as a process: Ctrl-C, readers that leave early, where modules are found."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TextIO

from arenite.cli.streams import NamedOutput
from arenite.processes.interrupts import end_at_once
from arenite.processes.paths import import_path

#: Exit code of a fault of Arenite's own, ``EX_SOFTWARE`` of BSD's ``sysexits.h``.
INTERNAL = 70


class _NoReaderError(BaseException):
    """Whoever read the output has left. No ``except Exception`` on the way holds it up."""


class _Output(io.TextIOWrapper):
    """An output that others may read, and may stop reading."""

    def write(self, text: str, /) -> int:
        with _reader():
            return super().write(text)

    def flush(self) -> None:
        with _reader():
            super().flush()


@contextmanager
def _reader() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise _NoReaderError from None


def run_as_process(command: Callable[[], object]) -> None:
    """Run a command that ends by ``sys.exit``.

    It ends quietly where nobody reads its output any more (``arenite info m | head -1``), as
    programs do, by ``SIGPIPE``; that signal is no error of a pipe to a child, which says what
    happened to the child. After Ctrl-C it ends as soon as it can, after a second one at once.
    """
    sys.path[:] = import_path()
    sys.stdout = _watched(sys.stdout, "standard output")
    sys.stderr = _watched(sys.stderr, "standard error")
    try:
        try:
            command()
        finally:
            end_at_once()
            sys.stdout.flush()
    except _NoReaderError:
        end_without_reader()
    except Exception:
        traceback.print_exc()
        sys.exit(INTERNAL)


def _watched(stream: TextIO, name: str) -> TextIO:
    """The stream, which writes names that the terminal's encoding lacks, and knows its reader."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    if not hasattr(signal, "SIGPIPE") or stream.isatty():
        stream.reconfigure(errors="backslashreplace")
        return stream
    raw = NamedOutput(stream, name)
    return _Output(
        raw if isinstance(stream.buffer, io.FileIO) else io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def end_without_reader() -> NoReturn:
    """End by ``SIGPIPE``, as programs do."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)
    os._exit(128 + signal.SIGPIPE)  # where that signal is blocked
