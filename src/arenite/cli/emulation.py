"""Options and words for what runs on an emulated core."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

#: Seconds before a line says what goes on.
_SILENT = 1.0
#: As :data:`arenite.firmware.device.SECONDS` is.
SECONDS = 120.0

Timeout = Annotated[
    float,
    typer.Option(
        min=0.1,
        metavar="SECONDS",
        help="Time that a call of the firmware may take in the emulator on this machine.",
    ),
]


@contextmanager
def emulating(processor: str) -> Iterator[Callable[[int, float], None]]:
    """Yield a function that says on a terminal's last line how far a call has come."""
    error, width = sys.stderr, 0
    if not error.isatty():
        yield lambda _instructions, _seconds: None
        return

    def tell(instructions: int, seconds: float) -> None:
        nonlocal width
        if seconds < _SILENT:
            return
        ran = f"{instructions // 10**6:,} million instructions, " if instructions else ""
        line = f"emulating a {processor}: {ran}{seconds:.0f} s (Ctrl-C ends it)"
        error.write(f"\r{line.ljust(width)}")
        error.flush()
        width = len(line)

    try:
        yield tell
    finally:
        if width:
            error.write(f"\r{' ' * width}\r")
            error.flush()
