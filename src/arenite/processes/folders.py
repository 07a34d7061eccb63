"""Temporary folders that are removed however their maker ends.

Whoever makes one removes it. A maker that is killed cannot: the next one that makes a folder
removes it then. A lock, which the system lets go with the process, says whose maker is gone.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: there nothing says that a maker is gone
    fcntl = None  # type: ignore[assignment]

_PREFIX = "arenite-"
_LOCK = ".lock"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that is gone at the end."""
    _remove_left()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
    lock = _locked(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """A lock on a folder, which appears under its name when it is held."""
    if fcntl is None:
        return None
    early = folder / f"{_LOCK}-early"
    lock = os.open(early, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.rename(early, folder / _LOCK)
    return lock


def _remove_left() -> None:
    """Remove folders of makers that are gone."""
    if fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # somebody else's, or just removed by its maker
            _remove_unlocked(folder)


def _remove_unlocked(folder: Path) -> None:
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
