"""Starting children, asking them and ending them: what the driver does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from types import MappingProxyType
from typing import IO, Any, NamedTuple

from arenite.processes.folders import scratch_folder
from arenite.processes.inside import LENGTH
from arenite.processes.messages import packed, unpacked
from arenite.processes.paths import PACKAGE, absolute, import_path
from arenite.processes.verdict import EARLY, Crash, Record

#: Seconds that a child has for ending by itself.
_GRACE = 2.0
#: Bytes that are read at once, and those of the largest answer.
_PIECE, _MOST = 1 << 20, 1 << 33
#: What would change where a child finds modules, or what it does when it is done.
_NOT_FOR_CHILDREN = ("PYTHONPATH", "PYTHONINSPECT", "PYTHONSTARTUP")

Process = subprocess.Popen[bytes]


class Finished(NamedTuple):
    """Remains of a child.

    Attributes:
        code: Its exit code, minus its signal, or more than :data:`EARLY`: a child in Python has
            ended without its verdict, whatever code it gave.
        out: What it printed.
        err: The same on its error stream.
        crash: Where a kernel's library ended it, as far as that is known.
    """

    code: int
    out: str = ""
    err: str = ""
    crash: Crash = Crash()


class EndedError(Exception):
    """A child has ended instead of answering.

    Attributes:
        code: Its exit code; minus the signal that ended it.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"the process {how_it_ended(code)}")
        self.code = code


def how_it_ended(code: int) -> str:
    """An exit code in words: ``was ended by SIGKILL``, ``ended with code 3``."""
    if code >= EARLY:
        return f"ended early, with code {code - EARLY} and no result"
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def run_module(
    module: str, *arguments: str, folder: Path, timeout: float | None, shows: bool = False
) -> Finished:
    """Run ``main(arguments)`` of a module of Arenite's in a child.

    Args:
        module: Its full name.
        arguments: What it is given; paths among them are absolute.
        folder: The child's working folder, where nothing of the user's lies.
        timeout: Seconds that it may take; None for any time.
        shows: Whether what it prints goes where the driver's goes, instead of into the result.

    Raises:
        TimeoutError: It takes longer.
    """
    with scratch_folder() as scratch:
        record = Record(scratch)
        command = _python(module, *arguments, verdict=record.argument)
        done = _finished(command, folder, timeout, more=record.environment, shows=shows)
        code = record.judged(done.code)
        return done._replace(code=code, crash=record.crash() if code else Crash())


def run_program(
    program: str,
    *arguments: str,
    folder: Path,
    timeout: float | None = None,
    memory: int = 0,
) -> Finished:
    """Run a program, which is named by its full path, in a working folder.

    Args:
        program: Its path.
        arguments: What it is given.
        folder: Its working folder.
        timeout: Seconds that it may take; None for any time.
        memory: Bytes of memory that each of its processes may take, on systems that limit them; 0
            for any.

    Raises:
        TimeoutError: It takes longer.
    """
    return _finished(_guarded(program, *arguments, memory=memory), folder, timeout)


def start_program(program: str, *arguments: str) -> Process:
    """A program that is talked to through ``stdin`` and ``stdout``; :func:`end` ends it."""
    return _started(_guarded(program, *arguments), stderr=subprocess.DEVNULL)


def end(process: Process) -> int:
    """End a child and let go of its pipes; its exit code."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):  # what is still in the buffer of a pipe that is closed
                pipe.close()
    return _waited(process)


class Service:
    """A child that stays and answers questions.

    Answers are messages, of which nothing can run: native code of others may have written them.

    Args:
        module: Its ``main`` calls :func:`arenite.processes.inside.serve`.
        arguments: Its arguments; paths among them are absolute.
        folder: The child's working folder; None is the driver's.
        quiet: Whether what it prints is thrown away.
        pack: Makes bytes of a question; a message by default.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        folder: Path | None = None,
        quiet: bool = False,
        pack: Callable[[Any], bytes] = packed,
    ) -> None:
        self._pack = pack
        stderr = subprocess.DEVNULL if quiet else None
        self._process = _started(_python(module, *arguments), folder=folder, stderr=stderr)

    def ask(self, question: Any, timeout: float | None = None) -> Any:
        """The answer to a question.

        Args:
            question: Anything that can be packed.
            timeout: Seconds after which the child is ended.

        Raises:
            EndedError: The child has ended.
            MessageError: It answers what is no message.
            Exception: What the child raised; that the question cannot be packed.
        """
        content = self._pack(question)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with _ended_after(timeout, process):
            try:
                process.stdin.write(len(content).to_bytes(LENGTH, "little"))
                process.stdin.write(content)
                process.stdin.flush()
                length = int.from_bytes(process.stdout.read(LENGTH), "little")
                reply = _read(process.stdout, length)
            except (OSError, ValueError):  # a pipe that broke, or was closed before
                raise EndedError(end(process)) from None
        if not length or len(reply) < length:
            raise EndedError(end(process))
        try:
            kind, answer = unpacked(reply)
        except ValueError:
            end(process)
            raise
        if kind == "raised" and isinstance(answer, Exception):
            raise answer
        return answer

    def finish(self) -> None:
        """Say that there are no more questions, and wait until the child has cleaned up."""
        process = self._process
        assert process.stdin is not None
        with suppress(OSError, ValueError):
            process.stdin.write(bytes(LENGTH))
            process.stdin.flush()
        end(process)

    def stop(self) -> None:
        """Tell the child to end at once, without waiting; also while another thread asks it."""
        self._process.terminate()

    def wait(self, seconds: float) -> None:
        """Wait until the child has ended; one that does not within so many seconds is killed."""
        _waited(self._process, seconds)


def _read(stream: IO[bytes], length: int) -> bytes:
    """At most ``length`` bytes; memory is taken as they come, whatever length a child claims."""
    parts = []
    while 0 < length <= _MOST and (part := stream.read(min(length, _PIECE))):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


# -- how every child is started ----------------------------------------------------------


def _python(module: str, *arguments: str, verdict: str = "") -> list[str]:
    script = os.path.join(PACKAGE, "processes", "bootstrap.py")
    path = import_path()
    words = [str(len(path)), *path, verdict, module, *arguments]
    return [sys.executable, "-X", "utf8", script, *words]


def _guarded(program: str, *arguments: str, memory: int = 0) -> list[str]:
    assert os.path.isabs(program), program
    script = os.path.join(PACKAGE, "processes", "guard.py")
    return [sys.executable, "-I", script, str(memory), program, *arguments]


def _started(
    command: list[str],
    *,
    folder: Path | None = None,
    stdin: int = subprocess.PIPE,
    stdout: int | None = subprocess.PIPE,
    stderr: int | None = None,
    more: Mapping[str, str] = MappingProxyType({}),
) -> Process:
    with _no_interrupts():
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env={**_environment(), **more},
            start_new_session=True,  # a group: what the child starts ends with it
        )


def _finished(
    command: list[str],
    folder: Path,
    timeout: float | None,
    *,
    more: Mapping[str, str] = MappingProxyType({}),
    shows: bool = False,
) -> Finished:
    # A pipe of its own: communicate() would close the one that says that the driver is there.
    stdin, lifeline = os.pipe()
    pipe = None if shows else subprocess.PIPE
    with open(lifeline, "wb", buffering=0) as driver:
        try:
            process = _started(
                command, folder=folder, stdin=stdin, stdout=pipe, stderr=pipe, more=more
            )
        finally:
            os.close(stdin)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise TimeoutError(f"takes over {timeout:g} s") from None
        finally:
            driver.close()
            end(process)
    return Finished(process.returncode, _text(out), _text(err))


def _kill(process: Process) -> None:
    """Kill a child and what it has started."""
    if os.name != "posix":
        process.kill()
    elif process.returncode is None:  # its number is nobody else's yet
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace").replace("\r\n", "\n")


def _environment() -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_CHILDREN}
    if "PATH" in kept:
        kept["PATH"] = os.pathsep.join(absolute(kept["PATH"].split(os.pathsep)))
    return {**kept, "PYTHONSAFEPATH": "1"}


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Ctrl-C, which a terminal sends to children too, waits until the child ignores it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _ended_after(seconds: float | None, process: Process) -> Iterator[None]:
    if seconds is None:
        yield
        return
    clock = Timer(seconds, _kill, [process])
    clock.daemon = True
    clock.start()
    try:
        yield
    finally:
        clock.cancel()


def _waited(process: Process, seconds: float = _GRACE) -> int:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        _kill(process)
        return process.wait()
