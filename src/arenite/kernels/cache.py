"""A cache of compiled files, found by all that went into them, headers included.

A product's key says its compiler, flags and sources' names; a list beside it says every file that
went into it, with a digest, and every path at which another would have gone into it. It is taken
only if all of them are what they were, and so is the product.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from arenite.files import open_regular, read_file, save
from arenite.kernels.inputs import Inputs, state_of

_VARIABLE = "ARENITE_CACHE"
#: Changes when products of older versions are of no use.
_FORMAT = 4


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


class Kept(NamedTuple):
    """A product that is as good as new.

    Attributes:
        product: Its file.
        inputs: All that it was made of.
        notes: What was said of it when it was kept.
    """

    product: Path
    inputs: Inputs
    notes: Any = None


def find(key: str) -> Kept | None:
    """The product of a key, if it and all of its inputs are what they were."""
    folder = cache_folder()
    try:
        with open_regular(folder / f"{key}.json") as file:
            row = json.loads(file.read())
        product = folder / Path(str(row["product"])).name
        wanted = {Path(path): str(digest) for path, digest in row["inputs"].items()}
        absent = dict.fromkeys(map(Path, row["absent"]))
        files = {path: state_of(path) for path in wanted}
        is_same = all(files[path].digest == digest for path, digest in wanted.items())
        is_whole = state_of(product).digest == row["digest"]  # one that was cut ends its process
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not is_same or not is_whole or any(map(os.path.lexists, absent)):
        return None
    return Kept(product, Inputs(files, absent), row.get("notes"))


def keep(key: str, product: Path, inputs: Inputs, notes: Any = None) -> Path:
    """Keep a product, made of ``inputs`` as they were then; where it is now.

    Its name says its inputs too: what is loaded from a file that is replaced goes on.
    """
    folder = cache_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = read_file(product)
    row = {"digest": hashlib.sha256(content).hexdigest(), "inputs": inputs.digests()}
    name = f"{key_of(key, json.dumps(row))}{product.suffix}"
    target = folder / name
    save(target, content)
    more = {"product": name, "absent": [*map(str, inputs.absent)], "notes": notes}
    save(folder / f"{key}.json", json.dumps(row | more).encode())
    return target
