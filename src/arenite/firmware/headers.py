"""Headers that kernels need, by the functions that they call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from arenite.firmware.fixed_point import FIXED_POINT_H
from arenite.firmware.fourier import HEADERS as FOURIER
from arenite.firmware.work import Routine

#: Of C's mathematical library, which takes ``-lm`` to link on many systems.
_MATH = r"\b(ceilf|cosf|expf|expm1f|floor|floorf|fmodf|logf|rintf|sinf|sqrtf|tanhf|INFINITY|NAN)\b"
_FIXED_POINT = r"\bar_(sign_extend|divide_by_any_power|reciprocal|inverse_sqrt|half_sum|fixed_log|rounded_root|saturate_int16)\("
#: Headers that are written, by name: what of them is used, and their text.
_OWN = {
    "fixed_point.h": (_FIXED_POINT, FIXED_POINT_H),
    **{f"{name}.h": (rf"\bar_{name}\b", text) for name, text in FOURIER.items()},
}


def needs_math(routines: Iterable[Routine]) -> bool:
    """Whether a kernel calls C's mathematical library."""
    return _any_has(routines, _MATH)


def own_headers(routines: Iterable[Routine]) -> dict[str, str]:
    """Texts of headers besides ``arithmetic.h`` by name."""
    found = list(routines)
    return {name: text for name, (uses, text) in _OWN.items() if _any_has(found, uses)}


def includes(routines: Iterable[Routine]) -> list[str]:
    """What ``kernels.c`` includes, line by line."""
    found = list(routines)
    system = ["#include <math.h>", ""] if needs_math(found) else []
    return [
        *system,
        '#include "arithmetic.h"',
        *(f'#include "{one}"' for one in own_headers(found)),
    ]


def _any_has(routines: Iterable[Routine], pattern: str) -> bool:
    return any(re.search(pattern, one.body) for one in routines if one.language == "c")
