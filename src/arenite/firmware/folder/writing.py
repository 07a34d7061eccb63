"""A folder that is written whole: new files are complete before any of them is in its place.

Written again, a folder loses what the export before wrote and nobody changed since, known by the
digests in ``arenite.json``. What somebody changed stays: where it is made to be changed, the export
goes on without it and says so; where all files have to fit together, nothing is written.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from arenite.errors import BoardError
from arenite.files import save
from arenite.firmware.folder.manifest import MANIFEST, digests_of
from arenite.firmware.folder.places import Places

_STAGING = ".arenite-"
#: Sources that are made for a model and fit each other: all or none.
_GENERATED = re.compile(
    r"src/(?!main\.cc$)[A-Za-z_][A-Za-z0-9_.-]*\.(?:c|cc|cpp|cxx|h|hh|hpp|inc|S)"
)
#: All others that an export writes; whoever uses a folder may change them.
_CHANGEABLE = re.compile(
    r"src/main\.cc|test/main\.c|examples/selftest/selftest\.ino|esphome/[a-z0-9_]+/__init__\.py"
    r"|README\.md|Makefile|CMakeLists\.txt|library\.properties|library\.json"
    r"|zephyr/module\.yml|zephyr/CMakeLists\.txt|zephyr/Kconfig|idf_component\.yml"
)


class _Plan(NamedTuple):
    """Fate of files, by their paths."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    before: Mapping[str, str]


def check_room(folder: Path) -> None:
    """Whether a folder is new, empty, or one that was exported before.

    Raises:
        FileExistsError: There are other files in it, or it is no folder.
    """
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise FileExistsError(f"expected a folder, got the file '{folder}'")
    if Places(folder).digest(MANIFEST) is not None:
        return
    if any(not path.name.startswith(_STAGING) for path in folder.iterdir()):
        raise FileExistsError(
            f"expected a new or empty folder, or one that was exported before, got '{folder}' with "
            f"other files and no {MANIFEST}"
        )


def write_folder(
    folder: Path, files: Mapping[str, str], facts: Mapping[str, Any]
) -> tuple[str, ...]:
    """Write files by their paths in a folder, and ``arenite.json``; those that were kept.

    All are written beside their places first. A new folder appears whole or not at all; in one
    that was there before, files take their places one by one when all are written. What an earlier
    export left over is removed. Files that were changed since, or come from elsewhere, stay what
    they are; no link is followed.

    Args:
        folder: The folder, as :func:`check_room` wants it.
        files: Texts by path.
        facts: What ``arenite.json`` says, but for the files' digests.

    Raises:
        FileExistsError: As of :func:`check_room`; or a source that has to fit the others was
            changed, or a link is in the way.
        OSError: Something cannot be written; the folder is as it was.
    """
    check_room(folder)
    digests = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
    is_new = not folder.exists()
    old = {} if is_new else _exported(folder)
    plan = _plan(folder, digests, old)
    if is_new:
        folder.parent.mkdir(parents=True, exist_ok=True)
    inside = folder if is_new else Path(os.path.realpath(folder))
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=inside.parent if is_new else inside))
    try:
        staging.chmod(0o777 & ~_umask())
        texts = {path: files[path] for path in plan.written}
        texts[MANIFEST] = _manifest(facts, digests)
        if not is_new:  # until all are in place, files of both exports are ours
            texts[f"{MANIFEST}.new"] = _manifest({**facts, "before": plan.before}, digests)
        for path, text in texts.items():
            place = staging / path
            place.parent.mkdir(parents=True, exist_ok=True)
            save(place, text.encode("utf-8"), name=folder / path)
        if is_new:
            staging.rename(folder)
        else:
            _take_places(Places(inside), staging.name, plan)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return plan.kept


def _manifest(facts: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    return json.dumps({**facts, "digests": digests}, indent=1) + "\n"


def _exported(folder: Path) -> dict[str, set[str]]:
    """Digests of files that an export wrote into a folder, as far as its manifest can be read."""
    with suppress(BoardError, OSError):
        return {path: known for path, known in digests_of(folder).items() if _is_ours(path)}
    return {}


def _is_ours(path: str) -> bool:
    return any(kind.fullmatch(path) for kind in (_CHANGEABLE, _GENERATED))


def _plan(folder: Path, digests: Mapping[str, str], old: Mapping[str, set[str]]) -> _Plan:
    strange = [path for path in digests if not _is_ours(path)]
    if strange:
        raise ValueError(f"expected files that an export may write, got {strange}")
    if not folder.exists():
        return _Plan(tuple(digests), (), (), {})
    found = _found(Places(folder), {*digests, *old})
    changed = [
        path
        for path, digest in found.items()
        if digest not in old.get(path, ()) and digest != digests.get(path)
    ]
    for path in sorted(changed):
        if not _CHANGEABLE.fullmatch(path):
            raise FileExistsError(
                f"'{path}' in '{folder}' was changed since it was exported, or was not exported; "
                "nothing was written, as it has to fit the other files: move it away, or export "
                "into another folder"
            )
    kept = set(changed)
    return _Plan(
        tuple(path for path in digests if path not in kept),
        tuple(path for path in found if path not in digests and path not in kept),
        tuple(sorted(kept)),
        {path: digest for path, digest in found.items() if path not in kept},
    )


def _found(places: Places, paths: Iterable[str]) -> dict[str, str]:
    """Digests of those files that are there."""
    digests = {path: places.digest(path) for path in paths}
    return {path: digest for path, digest in digests.items() if digest is not None}


def _take_places(places: Places, staging: str, plan: _Plan) -> None:
    places.move(f"{staging}/{MANIFEST}.new", MANIFEST)
    for path in plan.removed:
        places.remove(path)
    for path in plan.written:
        places.move(f"{staging}/{path}", path)
    places.move(f"{staging}/{MANIFEST}", MANIFEST)


def _umask() -> int:
    """Permissions that new files do not get."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
