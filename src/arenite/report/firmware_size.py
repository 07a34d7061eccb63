"""Size of a model without TFLM, as a person reads it."""

from __future__ import annotations

from arenite.analysis.needs import amount
from arenite.firmware.size import FirmwareSize
from arenite.report.text import number


def size_words(size: FirmwareSize, clock: float | None) -> str:
    """RAM, flash and time in a sentence."""
    if size.reason:
        return f"without TFLM: arenite export cannot write it: {size.reason.rstrip('.')}."
    found = needs_of(size, clock)
    parts = [f"RAM {found['RAM']}", f"flash {found['flash']}"]
    if size.stack_bytes is not None:
        parts[0] += f" and {number(size.stack_bytes)} of stack"
    if size.code_bytes is None:
        parts[1] += ", which is built where the extra board is installed"
    else:
        constants, code = number(size.constant_bytes), number(size.code_bytes)
        parts[1] += f": constants {constants}, code {code} (zig's clang, -Os)"
    if "time" in found:
        parts.append(f"{found['time']}, more where flash makes the processor wait")
    return f"without TFLM, as arenite export writes it: {'; '.join(parts)}."


def needs_of(size: FirmwareSize, clock: float | None) -> dict[str, str]:
    """RAM, flash and, where it is known, time, named as a fit's needs are."""
    flash = size.flash_bytes
    constants = f"{number(size.constant_bytes)} bytes and code"
    needs = {
        "RAM": f"{number(size.arena_bytes)} bytes",
        "flash": constants if flash is None else f"{number(flash)} bytes",
    }
    ms = size.milliseconds(clock)
    if ms is not None:
        needs["time"] = f"at least {amount(ms, 'ms')}"
    elif size.cycles is not None:
        needs["time"] = f"at least {size.cycles / 1e6:,.3g} M cycles"
    return needs
