"""A folder that is written whole: new files are complete before any of them is in its place."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from arenite.errors import BoardError

#: The file by which a folder is known as written here.
MANIFEST = "arenite.json"
# No path of an export has them; for Windows they lead to other folders and drives.
_ELSEWHERE = frozenset("\0\\:")
_STAGING = ".arenite-"


def check_room(folder: Path) -> None:
    """Whether a folder is new, empty, or one that was exported before.

    Raises:
        FileExistsError: There are other files in it, or it is no folder.
    """
    if not os.path.lexists(folder) or (folder / MANIFEST).is_file():
        return
    if not folder.is_dir():
        raise FileExistsError(f"expected a folder, got the file '{folder}'")
    if any(not path.name.startswith(_STAGING) for path in folder.iterdir()):
        raise FileExistsError(
            f"expected a new or empty folder, or one that was exported before, got '{folder}' with "
            f"other files and no {MANIFEST}"
        )


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write files by their paths in a folder; what an earlier export left over is removed.

    All are written beside their places first. A new folder appears whole or not at all; in one
    that was there before, files take their places one by one when all are written. Other files
    stay what they are.

    Raises:
        FileExistsError: As of :func:`check_room`.
        OSError: Something cannot be written; the folder is as it was.
    """
    check_room(folder)
    is_new = not folder.exists()
    if is_new:
        folder.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=folder.parent if is_new else folder))
    try:
        staging.chmod(0o777 & ~_umask())
        for path, text in files.items():
            place = staging / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8"))
        if is_new:
            staging.rename(folder)
        else:
            _take_places(staging, folder, files)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def manifest_of(folder: Path) -> dict[str, Any]:
    """What ``arenite.json`` says.

    Raises:
        BoardError: It says nothing that can be read.
        OSError: It is not there.
    """
    try:
        facts = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BoardError(f"'{folder / MANIFEST}' is broken: {error}") from None
    if not isinstance(facts, dict):
        raise BoardError(f"'{folder / MANIFEST}': expected an object, got {type(facts).__name__}")
    return facts


def _take_places(staging: Path, folder: Path, files: Mapping[str, str]) -> None:
    for path in _left_over(folder):
        if path not in files:
            with suppress(OSError):
                (folder / path).unlink()
                (folder / path).parent.rmdir()  # where nothing else is in it
    for path in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        os.replace(staging / path, folder / path)


def _left_over(folder: Path) -> Iterator[str]:
    """The files of the export before, as far as they are inside of the folder."""
    try:
        listed = manifest_of(folder).get("files")
    except (BoardError, OSError):
        return
    for path in listed if isinstance(listed, list) else []:
        if isinstance(path, str) and _ELSEWHERE.isdisjoint(path):
            parts = PurePosixPath(path).parts
            if parts and parts[0] != "/" and ".." not in parts:
                yield path


def _umask() -> int:
    """Permissions that new files do not get."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
