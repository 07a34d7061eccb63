"""Sizes, clocks and times as people write them: ``96k``, ``0.5M``, ``168MHz``, ``50ms``."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*", re.IGNORECASE)
_BYTES = {"": 1, "b": 1, "k": 1024, "kb": 1024, "kib": 1024}
_BYTES |= {"m": 1024**2, "mb": 1024**2, "mib": 1024**2}
_MEGAHERTZ = {"": 1.0, "mhz": 1.0, "m": 1.0, "khz": 1e-3, "ghz": 1e3, "hz": 1e-6}
_MILLISECONDS = {"": 1.0, "ms": 1.0, "s": 1e3, "us": 1e-3}


def bytes_of(text: str | int) -> int:
    """A number of bytes: ``96k`` and ``96KB`` are 96 times 1024, as memory is counted.

    Raises:
        ValueError: It is none, or no whole number of bytes.
    """
    size = _read(str(text), _BYTES, "a size such as 98304, 96k, 96KB or 0.5M")
    if size != int(size):
        raise ValueError(f"expected a whole number of bytes, got {text!r}")
    return int(size)


def megahertz_of(text: str | float) -> float:
    """A clock in MHz: ``168``, ``168MHz``, ``1.2GHz``.

    Raises:
        ValueError: It is none, or not from 0.001 to 100,000 MHz.
    """
    clock = _read(str(text), _MEGAHERTZ, "a clock such as 168, 168MHz or 1.2GHz")
    if not 0.001 <= clock <= 100_000:
        raise ValueError(f"expected a clock from 0.001 to 100000 MHz, got {text!r}")
    return clock


def milliseconds_of(text: str | float) -> float:
    """A time in milliseconds: ``50``, ``50ms``, ``1.5s``, ``800us``.

    Raises:
        ValueError: It is none.
    """
    return _read(str(text), _MILLISECONDS, "a time such as 50, 50ms, 1.5s or 800us")


def _read(text: str, units: Mapping[str, float], expected: str) -> float:
    match = _NUMBER.fullmatch(text)
    if match is None or match[2].lower() not in units:
        raise ValueError(f"expected {expected}, got {text!r}")
    return float(match[1]) * units[match[2].lower()]
