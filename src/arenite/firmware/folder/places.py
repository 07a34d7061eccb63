"""Files inside of one folder, which no link leads out of.

A folder may come from anybody, with links in it that lead elsewhere. So every folder on the way is
opened relative to the one before, and never through a link; where the system cannot do that
(Windows), every part is looked at before it is used.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

_HAS_DIR_FD = {os.open, os.rename, os.unlink, os.mkdir, os.rmdir, os.stat} <= os.supports_dir_fd
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_FILE = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LINKS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
_REPARSE_POINT = 0x400  # of Windows: links and junctions
_PIECE, _MOST_BYTES = 1 << 20, 1 << 32


@dataclass(frozen=True)
class _Way:
    """The folder that a file is in: open, or (Windows) as a path before the file's name."""

    fd: int | None
    path: str
    name: str

    @property
    def place(self) -> str:
        return self.name if self.fd is not None else os.path.join(self.path, self.name)


class Places:
    """Files of a folder by their paths in it, as ``src/model.c``.

    Args:
        folder: The folder, which is there; a link to it is followed, those in it are not.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = os.path.realpath(folder)

    def digest(self, path: str) -> str | None:
        """The SHA-256 of a file, in hexadecimal digits; None if nothing is there.

        Of a file that is larger than any export's it is empty.

        Raises:
            FileExistsError: A link, or something else that is no regular file, is in the way.
            OSError: It cannot be read.
        """
        try:
            with self._way(path) as way:
                _require(self._status(way, way.place), stat.S_ISREG, path, self.folder)
                return _digest(os.open(way.place, _FILE, dir_fd=way.fd))
        except FileNotFoundError:
            return None

    def move(self, source: str, path: str) -> None:
        """Give a file of this folder another place in it, over what is there.

        Raises:
            FileExistsError: A link, or something else that is no folder, is in the way.
            OSError: It cannot be written.
        """
        with self._way(source) as old, self._way(path, make=True) as new:
            os.replace(old.place, new.place, src_dir_fd=old.fd, dst_dir_fd=new.fd)

    def remove(self, path: str) -> None:
        """Remove a file, and the folders that are empty then; nothing where that is not possible.

        Raises:
            FileExistsError: A link, or something else that is no folder, is in the way.
        """
        with suppress(FileNotFoundError, PermissionError), self._way(path) as way:
            os.unlink(way.place, dir_fd=way.fd)
        for parent in list(PurePosixPath(path).parents)[:-1]:
            try:
                with self._way(str(parent)) as way:
                    os.rmdir(way.place, dir_fd=way.fd)
            except FileExistsError:
                return
            except OSError:  # not empty, or not there
                return

    @contextmanager
    def _way(self, path: str, *, make: bool = False) -> Iterator[_Way]:
        *folders, name = path.split("/")
        fds = [os.open(self.folder, _FOLDER)] if _HAS_DIR_FD else []
        way = _Way(fds[0] if fds else None, self.folder, name)
        try:
            for number, folder in enumerate(folders):
                step = _Way(way.fd, way.path, folder)
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(step.place, dir_fd=step.fd)
                shown = "/".join(folders[: number + 1])
                _require(self._status(step, step.place), stat.S_ISDIR, shown, self.folder)
                if fds:
                    fds.append(_opened(folder, fds[-1], shown, self.folder))
                way = _Way(fds[-1] if fds else None, os.path.join(way.path, folder), name)
            yield way
        finally:
            for fd in fds:
                os.close(fd)

    @staticmethod
    def _status(way: _Way, place: str) -> os.stat_result:
        return os.stat(place, dir_fd=way.fd, follow_symlinks=False)


def _opened(name: str, fd: int, shown: str, folder: str) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=fd)
    except OSError as error:
        if error.errno in _LINKS:  # it became one just now
            raise FileExistsError(_in_the_way(shown, folder, "a link")) from None
        raise


def _require(status: os.stat_result, is_kind: Any, path: str, folder: str) -> None:
    reparse = getattr(status, "st_file_attributes", 0) & _REPARSE_POINT
    if is_kind(status.st_mode) and not reparse:
        return
    is_link = stat.S_ISLNK(status.st_mode) or reparse
    got = "a link" if is_link else "a folder" if stat.S_ISDIR(status.st_mode) else "something else"
    raise FileExistsError(_in_the_way(path, folder, got, is_kind is stat.S_ISDIR))


def _in_the_way(path: str, folder: str, got: str, is_folder: bool = True) -> str:
    wanted = "folder" if is_folder else "file"
    return (
        f"'{path}' in '{folder}': expected a {wanted}, got {got}; nothing was written. An export "
        "follows no links: move it away, or export into another folder"
    )


def _digest(fd: int) -> str:
    found = hashlib.sha256()
    with os.fdopen(fd, "rb", 0) as file:
        if os.fstat(fd).st_size > _MOST_BYTES:
            return ""
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.hexdigest()
