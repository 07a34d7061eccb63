"""Headers that kernels need, by the functions that they call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from arenite.c_text import header
from arenite.firmware.kernels.cortex_m55 import vectors
from arenite.firmware.network.kernel import Routine
from arenite.firmware.text.fourier import HEADERS as FOURIER

#: Headers that are written, by name.
_OWN = {
    "detection.h": header(__name__, "detection.h"),
    "fixed_point.h": header(__name__, "fixed_point.h"),
    "vectors.h": header(vectors.__name__, "vectors.h"),
    **{f"{name}.h": text for name, text in FOURIER.items()},
}


def own_headers(routines: Iterable[Routine]) -> dict[str, str]:
    """Texts of headers besides ``arithmetic.h`` by name."""
    found = list(routines)
    return {name: text for name, text in _OWN.items() if _any_has(found, _functions(text))}


def includes(routines: Iterable[Routine]) -> list[str]:
    """Includes of ``kernels.c``, line by line."""
    return [f'#include "{one}"' for one in ("arithmetic.h", *own_headers(routines))]


def _functions(header: str) -> str:
    """A pattern for calls of a header's functions, or vectors where it brings them."""
    names = re.findall(r"^static inline .*\b(ar_\w+)\(", header, re.M)
    vectors = r"|\bint\d+x\d+_t\b" if "#include <arm_mve.h>" in header else ""
    return rf"\b({'|'.join(names)})\({vectors}"


def _any_has(routines: Iterable[Routine], pattern: str) -> bool:
    return any(re.search(pattern, one.body) for one in routines if one.language == "c")
