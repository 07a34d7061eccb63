"""Read a file in aligned blocks, then merge them.

Facts: MNN 3.6.1 ``core/FileLoader.cpp``.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import BinaryIO

from arenite.errors import StateError
from arenite.files import open_regular
from arenite.mnn.session.storage import AutoStorage

#: ``gCacheSize``: bytes of a block.
BLOCK = 4096


class FileLoader:
    """A file that is read in blocks of 4096 bytes into 32-byte aligned storage.

    >>> with FileLoader("model.mnn") as loader:     # doctest: +SKIP
    ...     if loader.read():
    ...         loader.merge(storage)

    ``read`` and ``merge`` return True, as MNN's do. What MNN answers with False is an error here,
    which says why. It closes the file and lets all blocks go, as the end of ``with`` does.

    Raises:
        OSError: The file is not there, may not be opened, or is a directory, pipe or device.
    """

    def __init__(self, path: str | bytes | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._file: BinaryIO | None = None
        self._blocks: list[tuple[int, AutoStorage]] = []
        self._size = 0
        self._file = open_regular(path)  # closed by close()

    def __repr__(self) -> str:
        state = "open" if self.valid() else "closed"
        return f"<FileLoader {self.path()!r}: {state}, {self._size} bytes read>"

    def valid(self) -> bool:
        """Whether the file is open."""
        return self._file is not None

    def size(self) -> int:
        """Bytes read so far."""
        return self._size

    def path(self) -> str:
        """Where the file is."""
        return os.fsdecode(self._path)

    def read(self) -> bool:
        """Read the whole file, block by block; a block that is not full ends it.

        Returns:
            True.

        Raises:
            StateError: It was read before, or is closed.
            OSError: The system cannot read it.
            MemoryError: It does not fit into memory.
        """
        if self._file is None or self._blocks:
            raise StateError(f"{self.path()!r} is closed or was read before")
        try:
            self._read_blocks(self._file)
        except OSError as error:
            done = self._size
            self.close()
            reason = f"read error after {done} bytes: {error.strerror or error}"
            raise OSError(error.errno, reason, self.path()) from error
        except BaseException:
            self.close()
            raise
        return True

    def _read_blocks(self, file: BinaryIO) -> None:
        count = BLOCK
        while count == BLOCK:
            block = AutoStorage(BLOCK)
            count = file.readinto(block.get())  # type: ignore[attr-defined]
            self._blocks.append((count, block))
            self._size += count

    def merge(self, buffer: AutoStorage) -> bool:
        """Copy all blocks into one buffer, which takes the file's size.

        Returns:
            True.

        Raises:
            StateError: Nothing was read.
            MemoryError: The buffer does not fit into memory.
        """
        if not self._blocks:
            raise StateError(f"{self.path()!r}: read() comes before merge()")
        try:
            buffer.reset(self._size)
            target = buffer.get()
            assert target is not None
            start = 0
            for count, block in self._blocks:
                source = block.get()
                assert source is not None
                target[start : start + count] = source[:count]
                start += count
        except BaseException:
            self.close()
            raise
        return True

    def close(self) -> None:
        """Close the file and let all blocks go."""
        file, self._file = self._file, None
        self._blocks = []
        if file is not None:
            file.close()

    def __enter__(self) -> FileLoader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
