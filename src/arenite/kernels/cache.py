"""A cache of compiled files, found by all that went into them, headers included.

A product's key says its compiler, flags and sources' names; a list beside it says every file that
went into it, with a digest. It is taken only if all of them are what they were.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from arenite.files import read_file, save

_VARIABLE = "ARENITE_CACHE"
#: Changes when products of older versions are of no use.
_FORMAT = 3


def cache_folder() -> Path:
    """Where products are kept: ``ARENITE_CACHE``, or the user's folder for caches."""
    named = os.environ.get(_VARIABLE)
    if named:
        return Path(named).absolute() / "kernels"
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    return Path(base or Path.home() / ".cache").absolute() / "arenite" / "kernels"


def key_of(*parts: object) -> str:
    """A key of what is said by these parts."""
    return hashlib.sha256(json.dumps([_FORMAT, *map(str, parts)]).encode()).hexdigest()[:32]


def find(key: str) -> tuple[Path, list[Path]] | None:
    """The product of a key and its inputs, if all of these are what they were."""
    listed = cache_folder() / f"{key}.json"
    try:
        row = json.loads(read_file(listed))
        product = cache_folder() / str(row["product"])
        inputs = {Path(path): str(digest) for path, digest in row["inputs"].items()}
        is_there = product.is_file() and all(
            _digest_of(path) == digest for path, digest in inputs.items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return (product, list(inputs)) if is_there else None


def keep(key: str, product: Path, inputs: Iterable[Path]) -> Path:
    """Keep a product; where it is now.

    Its name says its inputs too: what is loaded from a file that is replaced goes on.
    """
    folder = cache_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    digests = {str(path): _digest_of(path) for path in dict.fromkeys(inputs)}
    name = f"{key_of(key, json.dumps(digests))}{product.suffix}"
    target = folder / name
    partial = target.with_suffix(f".{os.getpid()}.part")
    shutil.copyfile(product, partial)
    os.replace(partial, target)
    save(folder / f"{key}.json", json.dumps({"product": name, "inputs": digests}).encode())
    return target


def _digest_of(path: Path) -> str:
    status = path.stat()
    return _digest(str(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=10_000)
def _digest(path: str, _time: int, _size: int) -> str:
    return hashlib.sha256(read_file(path)).hexdigest()
