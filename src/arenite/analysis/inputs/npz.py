"""``.npz`` archives: the one reader of archives, whatever they are for.

Archives come from anybody, and a few bytes can say that they are gigabytes. So nothing is unpacked
before what is said of it was judged: how many members there are, their names and sizes, how they
are packed, then each array's header (:mod:`arenite.analysis.inputs.npy`). Names are keys and never
paths: nothing is written anywhere.

Facts: a deflated byte becomes at most 1032 (zlib's ``doc/algorithm.txt`` and technical notes).
Python's ``zipfile`` unpacks other methods than deflate without a bound.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from arenite.analysis.inputs.npy import Header, read_array, read_header
from arenite.analysis.inputs.values import readable
from arenite.files import open_regular
from arenite.model.model import Array

_SUFFIX = ".npy"
_WHAT = ".npz archive"
#: An archive may have so many members, and what lists them so many bytes.
MOST_MEMBERS, _MOST_LISTED = 1 << 14, 1 << 21
_ENCRYPTED = 0x2041  # encrypted, strongly, or with its header masked
_METHODS = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
_SHOWN, _LONGEST = 8, 60


class _Bounded(io.BufferedReader):
    """A file of which nobody reads more at once than a list of members may have."""

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(os.fstat(self.fileno()).st_size - self.tell(), 0)
        size = left if size is None or size < 0 else min(size, left)
        if size > _MOST_LISTED:
            raise ValueError(
                f"expected a list of members of at most {_MOST_LISTED} bytes, got {size}"
            )
        return super().read(size)


class Npz:
    """An open archive's arrays, by name; :func:`open_npz` makes it."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, size: int) -> None:
        self._path, self._archive, self._size = path, archive, size
        self._members = _by_name(archive)

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays' names, in the archive's order."""
        return tuple(self._members)

    def header(self, name: str) -> Header:
        """Header of an array.

        Raises:
            InputError: It is broken, or packed in a way that is not read.
        """
        with self._reading(name), self._opened(name) as file:
            return read_header(file)

    def array(self, name: str, judge: Callable[[Header], None]) -> Array:
        """An array; see :func:`arenite.analysis.inputs.npy.read_array`.

        Raises:
            InputError: It is broken, or packed in a way that is not read.
        """
        with self._reading(name), self._opened(name) as file:
            return read_array(file, self._members[name].file_size, judge)

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        with readable(self._path, f"{_WHAT}: {shortened(name)!r}"):
            yield

    def _opened(self, name: str) -> IO[bytes]:
        info = self._members[name]
        if info.flag_bits & _ENCRYPTED:
            raise ValueError("it is encrypted")
        if info.compress_type not in _METHODS:
            raise ValueError(
                "expected what numpy.savez or numpy.savez_compressed writes (stored or deflated), "
                f"got method {info.compress_type}"
            )
        most = _METHODS[info.compress_type] * info.compress_size
        if info.compress_size > self._size or info.file_size > most:
            raise ValueError(
                f"{info.compress_size} packed bytes in a file of {self._size} cannot become the "
                f"{info.file_size} that it says"
            )
        return self._archive.open(info)


@contextmanager
def open_npz(path: Path) -> Iterator[Npz]:
    """An archive of arrays.

    Raises:
        InputError: It is broken, has over 16,384 members, or two of one name.
        OSError: It cannot be read.
    """
    with open_regular(path, buffering=0) as raw, _Bounded(cast("io.FileIO", raw)) as file:
        size = os.fstat(raw.fileno()).st_size
        with readable(path, _WHAT), zipfile.ZipFile(file) as archive:
            yield Npz(path, archive, size)


def listed(names: Collection[str]) -> str:
    """Names as an error has them: the first few, shortened, and how many more there are."""
    shown = [repr(shortened(name)) for name, _ in zip(names, range(_SHOWN), strict=False)]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(shown) or "none") + more


def shortened(name: str) -> str:
    """A name of at most 60 characters; its end says more than its middle."""
    if len(name) <= _LONGEST:
        return name
    return f"{name[:20]}...{name[23 - _LONGEST :]}"


def _by_name(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise ValueError(f"expected at most {MOST_MEMBERS} members, got {len(members)}")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in members:
        name = info.filename.removesuffix(_SUFFIX)
        if name == info.filename:
            continue  # no array
        if name in found:
            raise ValueError(f"expected one array {shortened(name)!r}, got two")
        found[name] = info
    return found
