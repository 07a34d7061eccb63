"""Sources of a folder that may be anybody's, copied for a compiler: regular files alone."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath, PureWindowsPath

from arenite.errors import BoardError
from arenite.files import open_regular, save
from arenite.firmware.network.names import SOURCES

#: Bytes of one file, and of all: weights of some megabytes are texts four times as large.
_LARGEST, _MOST = 256 << 20, 512 << 20
#: What makes a compiler read another file.
_READS = re.compile(
    rb"^[ \t]*(?:#|%:|\?\?=)[ \t]*(?:include|include_next|import|embed)[ \t]*[<\"]([^>\"\n]*)"
    rb"|\.(?:incbin|include)[ \t]*\\?\"([^\"\\\n]*)",
    re.MULTILINE,
)


def taken(folder: Path, into: Path) -> list[Path]:
    """Copies of a folder's sources and headers in a new folder below ``into``.

    Raises:
        BoardError: There are none, one is a pipe, a device or too large, or names a file elsewhere.
    """
    if not (folder / SOURCES).is_dir():
        raise BoardError(f"'{folder}' has no {SOURCES}")
    (into / SOURCES).mkdir(exist_ok=True)
    found, left = list[Path](), _MOST
    for path in sorted((folder / SOURCES).iterdir()):
        if path.is_dir():
            continue
        data = _read(path, min(left, _LARGEST))
        left -= len(data)
        _require_own(path, data)
        found.append((into / SOURCES / path.name).resolve())
        save(found[-1], data)
    return found


def _read(path: Path, most: int) -> bytes:
    try:
        with open_regular(path) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise BoardError(f"'{path}': {error.strerror or error}") from None
    if len(data) > most:
        raise BoardError(f"'{path}': expected at most {most:,} bytes")
    return data


def _require_own(path: Path, data: bytes) -> None:
    """Refuse what reads a file that is named by a full path, or above the folder.

    What hides a name from this, in a macro say, meets the limits that every compiler has.
    """
    for quoted, binary in _READS.findall(data):
        name = (quoted or binary).decode("utf-8", "replace")
        for kind in (PurePosixPath(name), PureWindowsPath(name)):
            if kind.is_absolute() or kind.drive or ".." in kind.parts:
                raise BoardError(f"'{path}' reads '{name}': expected files of its own folder")
