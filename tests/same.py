"""Compare two models deeply."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from arenite.model import Model

#: Where a model came from is no part of what it says.
_IGNORED = {"source", "nbytes", "format", "raw_options", "content"}


def assert_same(a: Model, b: Model) -> None:
    """Assert that two models say the same: arrays by type and value, all else by equality."""
    found = list(differences(a, b))
    assert not found, "\n".join(found[:20])


def differences(a: Any, b: Any, path: str = "$") -> Iterator[str]:
    """Everything that differs, as ``path: one != other``."""
    parts, others = _parts(a), _parts(b)
    if type(a) is not type(b) or list(parts) != list(others):
        yield f"{path}: {a!r} != {b!r}"
    elif isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            yield f"{path}: {a!r} != {b!r}"
    elif parts:
        for name, part in parts.items():
            yield from differences(part, others[name], f"{path}{name}")
    elif a != b and not is_dataclass(a) and not _are_nan(a, b):
        yield f"{path}: {a!r} != {b!r}"


def _parts(value: Any) -> dict[str, Any]:
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.name not in _IGNORED]
        return {f".{name}": getattr(value, name) for name in names}
    if isinstance(value, Mapping):
        return {f"[{key!r}]": part for key, part in value.items()}
    if isinstance(value, tuple | list):
        return {f"[{index}]": part for index, part in enumerate(value)}
    return {}


def _are_nan(*values: Any) -> bool:
    return all(isinstance(value, float) and math.isnan(value) for value in values)
