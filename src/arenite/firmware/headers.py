"""Headers that kernels need, by the functions that they call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from arenite.firmware.cortex_m55.vectors import VECTORS_H
from arenite.firmware.detection import DETECTION_H
from arenite.firmware.fixed_point import FIXED_POINT_H
from arenite.firmware.fourier import HEADERS as FOURIER
from arenite.firmware.work import Routine

#: Of C's mathematical library, which takes ``-lm`` to link on many systems.
_MATH = r"\b(ceilf|cosf|expf|expm1f|floor|floorf|fmodf|logf|rintf|sinf|sqrtf|tanhf|INFINITY|NAN)\b"
#: Headers that are written, by name.
_OWN = {
    "detection.h": DETECTION_H,
    "fixed_point.h": FIXED_POINT_H,
    "vectors.h": VECTORS_H,
    **{f"{name}.h": text for name, text in FOURIER.items()},
}


def needs_math(routines: Iterable[Routine]) -> bool:
    """Whether a kernel calls C's mathematical library."""
    found = list(routines)
    return _any_has(found, _MATH) or "detection.h" in own_headers(found)


def own_headers(routines: Iterable[Routine]) -> dict[str, str]:
    """Texts of headers besides ``arithmetic.h`` by name."""
    found = list(routines)
    return {name: text for name, text in _OWN.items() if _any_has(found, _functions(text))}


def includes(routines: Iterable[Routine]) -> list[str]:
    """What ``kernels.c`` includes, line by line."""
    found = list(routines)
    system = ["#include <math.h>", ""] if needs_math(found) else []
    return [
        *system,
        '#include "arithmetic.h"',
        *(f'#include "{one}"' for one in own_headers(found)),
    ]


def _functions(header: str) -> str:
    """A pattern for calls of a header's functions."""
    names = re.findall(r"^static inline .*\b(ar_\w+)\(", header, re.M)
    return rf"\b({'|'.join(names)})\("


def _any_has(routines: Iterable[Routine], pattern: str) -> bool:
    return any(re.search(pattern, one.body) for one in routines if one.language == "c")
