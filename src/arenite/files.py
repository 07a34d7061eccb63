"""Files on their way in and out: what is read is a regular file, what is written is whole.

A reader gets a regular file or an error that says what the path is instead, and no open call
waits for another process. A writer fills a temporary file beside the one it is asked for, which
takes its name when all went well: nobody sees half a file, and what was there before stays until
then. Models and inputs are read this way, and every file that Arenite writes is written this way.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TypeAlias

from arenite.errors import FileChangedError

Path: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"

_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)
# Where the two do not exist they are not needed.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def open_regular(path: Path, *, buffering: int = -1) -> BinaryIO:
    """Open a regular file for reading; ``buffering`` is that of ``open``.

    Raises:
        OSError: The file is not there, may not be read, or is a directory, pipe, socket or device.
    """
    _require_regular(os.stat(path), path)  # opening a device may already act on it
    file = open(path, "rb", buffering, opener=_opened)  # noqa: SIM115
    try:
        _require_regular(os.fstat(file.fileno()), path)
    except BaseException:
        file.close()
        raise
    return file


def _opened(path: str, _: int) -> int:
    return os.open(path, _READ)


def _require_regular(status: os.stat_result, path: Path) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    name = os.fsdecode(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    for is_kind, kind in _KINDS:
        if is_kind(status.st_mode):
            raise OSError(errno.EINVAL, f"expected a regular file, got {kind}", name)


def read_file(path: Path, most_bytes: int | None = None) -> bytes:
    """All of a regular file.

    Args:
        path: Its name.
        most_bytes: That are read; a larger file is refused before any is.

    Raises:
        ValueError: It is larger.
        FileChangedError: It was changed while it was read.
        OSError: It cannot be read, or is no regular file.
    """
    with open_regular(path, buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if most_bytes is not None and size > most_bytes:
            raise ValueError(f"expected at most {most_bytes:,} bytes, got {size:,}")
        return read_whole(file)


def read_source(path: Path) -> str:
    """All of a source file, where what is no UTF-8 is shown as such.

    Raises:
        OSError: See :func:`read_file`.
    """
    return read_file(path).decode("utf-8", "replace").replace("\r\n", "\n")


def read_whole(file: BinaryIO) -> bytes:
    """All of a file that was just opened, in one piece of memory if it is not buffered.

    Raises:
        FileChangedError: It has another size than when this began.
        OSError: It cannot be read.
        MemoryError: It does not fit into memory.
    """
    with naming(file.name):
        size = os.fstat(file.fileno()).st_size
        # One byte more than there should be shows that there is more.
        data = file.read(size + 1)
        while len(data) < size and (more := file.read(size + 1 - len(data))):
            data += more  # the system reads at most 2 GB at once
    if len(data) != size:
        got = "more" if len(data) > size else str(len(data))
        raise FileChangedError(
            f"{os.fsdecode(file.name)!r}: expected {size} bytes, its size, got {got}: "
            "it was changed while it was read"
        )
    return data


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors of the system that name no file name this one: a full disk does not say which."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = os.fsdecode(path)
        raise


def save(path: Path, data: bytes, *, name: Path | None = None) -> None:
    """Write a file that nobody else looks at before it is complete.

    Others are written with :func:`replacing`.

    Args:
        path: Where; what is there is replaced.
        data: All of it.
        name: What errors call it, if it is to be elsewhere in the end.

    Raises:
        OSError: The file cannot be written.
    """
    with naming(path if name is None else name), open(path, "wb") as file:
        file.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A binary file to write, which takes the name ``path`` at the end of ``with``.

    It keeps the permissions of the file that it replaces. After an error or Ctrl-C nothing of it
    is left, and ``path`` is what it was. A link stays, what it points to is replaced. What is
    no regular file, such as a pipe, has nothing to replace and is written directly.

    Raises:
        OSError: The file, or its folder, cannot be written.
    """
    target = os.path.realpath(os.fsdecode(path))
    mode = _mode_of(target)
    if mode is not None and not stat.S_ISREG(mode):
        with naming(target), open(target, "wb") as file:
            yield file
        return
    temporary = os.path.join(os.path.dirname(target), f".arenite-{os.urandom(8).hex()}.tmp")
    try:
        with os.fdopen(os.open(temporary, _WRITE, 0o666), "wb") as file:
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            yield file
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            error.filename, error.filename2 = target, None  # a full disk names no file
        raise


def replace_file(path: Path, data: bytes | memoryview | str) -> None:
    """Write a whole file as :func:`replacing` does.

    Raises:
        OSError: The file, or its folder, cannot be written.
    """
    with replacing(path) as file:
        file.write(data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data)


def _mode_of(target: str) -> int | None:
    """Kind and permissions of what is to be replaced; None if there is nothing."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    return mode
