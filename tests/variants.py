"""What this machine can compute with: NumPy, and native kernels of each instruction set."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import arenite as ar
from arenite import native

REFERENCE = "reference"


def variants() -> list[str]:
    """``"reference"``, then the instruction sets that the engine and the CPU have."""
    if not native.available():
        return [REFERENCE]
    from arenite.native.program import available_isas

    return [REFERENCE, *available_isas()]


@contextmanager
def forced(variant: str) -> Iterator[None]:
    """``ARENITE_ISA`` set to an instruction set; nothing for the reference."""
    before = os.environ.get("ARENITE_ISA")
    if variant != REFERENCE:
        os.environ["ARENITE_ISA"] = variant
    try:
        yield
    finally:
        if before is not None:
            os.environ["ARENITE_ISA"] = before
        elif variant != REFERENCE:
            del os.environ["ARENITE_ISA"]


def interpreter(source: Any, variant: str, **options: Any) -> ar.Interpreter:
    """An interpreter that runs one variant's kernels."""
    with forced(variant):
        engine: Any = REFERENCE if variant == REFERENCE else "native"
        return ar.Interpreter(source, engine=engine, **options)
