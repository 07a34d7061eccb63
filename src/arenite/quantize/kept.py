"""The report of a quantisation that was kept as JSON, read again.

Only what a page shows is asked for, so a file may have more keys than these.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from arenite.documents import read_json
from arenite.errors import QuantizationError

#: float32's; larger ones cannot have been seen.
_LARGEST = 3.5e38


@dataclass(frozen=True)
class _Maybe:
    """Something, or null."""

    shape: Any


@dataclass(frozen=True)
class _Each:
    """An object with any keys."""

    shape: Any


_FIGURES = {"arena": int, "flash": _Maybe(int), "cycles": _Maybe(float), "operators": int}
_SHAPE = {
    "file": str,
    "sha256": str,
    "activations": str,
    "target": _Maybe(str),
    "samples": int,
    "judged": int,
    "sqnr_db": float,
    "steps": [{"name": str, "detail": str, "before": float, "after": float, "kept": bool}],
    "layers": [{"position": int, "name": str, "tensor": str, "sqnr": float, "lost_db": float}],
    "floating": [{"position": int, "name": str, "tensor": str, "reason": str}],
    "ranges": [
        {
            "tensor": str,
            **dict.fromkeys(("low", "high", "least", "largest"), float),
            "values": int,
            "histogram": {"begin": float, "end": float, "counts": [int]},
        }
    ],
    "before": _FIGURES,
    "after": _FIGURES,
    "scores": _Each([_Maybe(float)]),
    "budget": {"flash": _Maybe(int), "ram": _Maybe(int), "milliseconds": _Maybe(float)},
    "front": [
        {
            "sqnr": float,
            "flash": int,
            "arena": int,
            "milliseconds": _Maybe(float),
            "drop": _Maybe(float),
            "changed": _Each(str),
            "is_front": bool,
            "is_chosen": bool,
        }
    ],
    "notes": [str],
}
_WORDS = {str: "a text", int: "a whole number from 0", float: "a number", bool: "true or false"}


def read_kept(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Report that ``arenite quantize --json`` printed into a file.

    Raises:
        QuantizationError: It is no such report.
        OSError: It cannot be read.
    """
    try:
        said = read_json(path)
        _require(said, _SHAPE, "")
    except ValueError as error:
        raise QuantizationError(
            f"{os.fspath(path)}: expected what `arenite quantize --json` prints: {error}"
        ) from None
    assert isinstance(said, dict)
    return said


def _require(value: Any, shape: Any, where: str) -> None:
    """Compare a value with what it has to look like.

    Raises:
        ValueError: It does not; says where.
    """
    if isinstance(shape, _Maybe):
        if value is not None:
            _require(value, shape.shape, where)
    elif isinstance(shape, dict | _Each):
        if not isinstance(value, dict):
            raise ValueError(_wrong(where, "an object", value))
        inside = dict.fromkeys(value, shape.shape) if isinstance(shape, _Each) else shape
        for key, inner in inside.items():
            if key not in value:
                raise ValueError(_wrong(f"{where}.{key}", "a value", None))
            _require(value[key], inner, f"{where}.{key}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise ValueError(_wrong(where, "a list", value))
        for place, one in enumerate(value):
            _require(one, shape[0], f"{where}[{place}]")
    elif not _is(value, shape):
        raise ValueError(_wrong(where, _WORDS[shape], value))


def _is(value: Any, kind: type) -> bool:
    if kind in (str, bool):
        return isinstance(value, kind)
    if isinstance(value, bool) or not isinstance(value, int if kind is int else int | float):
        return False
    return bool(0 <= value < 1 << 63) if kind is int else bool(abs(value) <= _LARGEST)


def _wrong(where: str, expected: str, got: Any) -> str:
    return f"expected {expected} at ${where}, got {str(got)[:40]!r}"
