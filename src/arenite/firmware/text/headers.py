"""Headers that kernels need, by the functions that they call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from arenite.firmware.kernels.cortex_m55.vectors import VECTORS_H
from arenite.firmware.plan.kernel import Routine
from arenite.firmware.text.detection import DETECTION_H
from arenite.firmware.text.fixed_point import FIXED_POINT_H
from arenite.firmware.text.fourier import HEADERS as FOURIER

#: Headers that are written, by name.
_OWN = {
    "detection.h": DETECTION_H,
    "fixed_point.h": FIXED_POINT_H,
    "vectors.h": VECTORS_H,
    **{f"{name}.h": text for name, text in FOURIER.items()},
}


def own_headers(routines: Iterable[Routine]) -> dict[str, str]:
    """Texts of headers besides ``arithmetic.h`` by name."""
    found = list(routines)
    return {name: text for name, text in _OWN.items() if _any_has(found, _functions(text))}


def includes(routines: Iterable[Routine]) -> list[str]:
    """What ``kernels.c`` includes, line by line."""
    return [f'#include "{one}"' for one in ("arithmetic.h", *own_headers(routines))]


def _functions(header: str) -> str:
    """A pattern for calls of a header's functions."""
    names = re.findall(r"^static inline .*\b(ar_\w+)\(", header, re.M)
    return rf"\b({'|'.join(names)})\("


def _any_has(routines: Iterable[Routine], pattern: str) -> bool:
    return any(re.search(pattern, one.body) for one in routines if one.language == "c")
