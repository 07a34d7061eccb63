"""Sizes and clocks as people write them: ``96k``, ``0.5M``, ``168MHz``."""

from __future__ import annotations

import re

import typer

_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*", re.IGNORECASE)
_BYTES = {"": 1, "b": 1, "k": 1024, "kb": 1024, "kib": 1024}
_BYTES |= {"m": 1024**2, "mb": 1024**2, "mib": 1024**2}
_MEGAHERTZ = {"": 1.0, "mhz": 1.0, "m": 1.0, "khz": 1e-3, "ghz": 1e3, "hz": 1e-6}


def read_bytes(text: str | int) -> int:
    """A number of bytes: ``96k`` and ``96KB`` are 96 times 1024, as memory is counted.

    Raises:
        typer.BadParameter: It is none, or no whole number of bytes.
    """
    size = _read(str(text), _BYTES, "a size such as 98304, 96k, 96KB or 0.5M")
    if size != int(size):
        raise typer.BadParameter(f"expected a whole number of bytes, got {text!r}")
    return int(size)


def read_megahertz(text: str | float) -> float:
    """A clock in MHz: ``168``, ``168MHz``, ``1.2GHz``.

    Raises:
        typer.BadParameter: It is none, or not from 0.001 to 100,000 MHz.
    """
    clock = _read(str(text), _MEGAHERTZ, "a clock such as 168, 168MHz or 1.2GHz")
    if not 0.001 <= clock <= 100_000:
        raise typer.BadParameter(f"expected a clock from 0.001 to 100000 MHz, got {text!r}")
    return clock


def _read(text: str, units: dict[str, int] | dict[str, float], expected: str) -> float:
    match = _NUMBER.fullmatch(text)
    if match is None or match[2].lower() not in units:
        raise typer.BadParameter(f"expected {expected}, got {text!r}")
    return float(match[1]) * units[match[2].lower()]
