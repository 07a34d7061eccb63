"""A process that answers questions: oracles live in one, because they crash on some models.

Both sides speak pickles behind their length in bytes. The worker is replaced when it dies.
"""

import pickle
import select
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parent.parent
_LENGTH = struct.Struct("<Q")


class WorkerError(Exception):
    """The worker crashed, or took too long."""


class Worker:
    """Runs ``module`` and asks it questions, one at a time."""

    def __init__(
        self,
        module: str,
        *,
        timeout: float,
        log: int | IO[bytes],
        python: str = sys.executable,
    ) -> None:
        self._command = [python, "-m", module]
        self._timeout = timeout
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, question: Any) -> Any:
        """The answer.

        Raises:
            WorkerError: There is none; the next question goes to another process.
        """
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _write(process.stdin, question)
            if not select.select([process.stdout], [], [], self._timeout)[0]:
                raise TimeoutError
            return _read(process.stdout)
        except (BrokenPipeError, EOFError, TimeoutError):
            self.close()
            raise WorkerError from None

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        return self._process


def serve(answer: Callable[[Any], Any], sink: IO[bytes]) -> None:
    """In the worker: answer what comes in until nothing more does."""
    with suppress(EOFError):
        while True:
            _write(sink, answer(_read(sys.stdin.buffer)))


def _write(pipe: IO[bytes], value: Any) -> None:
    data = pickle.dumps(value)
    pipe.write(_LENGTH.pack(len(data)) + data)
    pipe.flush()


def _read(pipe: IO[bytes]) -> Any:
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    return pickle.loads(pipe.read(_LENGTH.unpack(header)[0]))
