"""Compare two models deeply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from arenite.model import Model

#: Where a model came from is no part of what it says.
_IGNORED = {"source", "nbytes"}


def assert_same(a: Model, b: Model) -> None:
    """Assert that two models say the same: arrays by type and value, all else by equality."""
    found = list(differences(a, b))
    assert not found, "\n".join(found[:20])


def differences(a: Any, b: Any, path: str = "$") -> Iterator[str]:
    """Everything that differs, as ``path: one != other``."""
    if type(a) is not type(b):
        yield f"{path}: {a!r} != {b!r}"
    elif is_dataclass(a):
        for field in fields(a):
            if field.name not in _IGNORED:
                yield from differences(
                    getattr(a, field.name), getattr(b, field.name), f"{path}.{field.name}"
                )
    elif isinstance(a, Mapping):
        if list(a) != list(b):
            yield f"{path}: keys {list(a)} != {list(b)}"
        else:
            for key in a:
                yield from differences(a[key], b[key], f"{path}[{key!r}]")
    elif isinstance(a, tuple | list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} != {len(b)} elements"
        for index, (one, other) in enumerate(zip(a, b, strict=False)):
            yield from differences(one, other, f"{path}[{index}]")
    elif isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            yield f"{path}: {a!r} != {b!r}"
    elif a != b:
        yield f"{path}: {a!r} != {b!r}"
