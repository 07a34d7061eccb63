"""The outputs of a process, whose errors say which one it was."""

from __future__ import annotations

import errno
import io
import os
from typing import Any

from arenite.files import naming


class NamedOutput(io.FileIO):
    """A stream's file descriptor; what cannot be written to it is an error that names it."""

    def __init__(self, stream: io.TextIOWrapper, name: str) -> None:
        super().__init__(stream.fileno(), "wb", closefd=False)
        self._name, self._has_failed = name, False

    def write(self, data: Any) -> int:
        """All of the data: a disk that is getting full takes a part without an error.

        After an error nothing more is written, so that the end of the process has no second one.
        """
        with naming(self._name), memoryview(data).cast("B") as rest:
            done = 0
            while done < len(rest) and not self._has_failed:
                done += self._some(rest[done:])
            return len(rest)

    def _some(self, data: memoryview) -> int:
        try:
            count = super().write(data)
            if count is None:  # there was no room, and the stream does not wait
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        except OSError:
            self._has_failed = True
            raise
        return count
