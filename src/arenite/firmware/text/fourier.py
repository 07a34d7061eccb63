"""``fourier_TYPE.h``: complex numbers of fractions or floats, for Fourier transforms.

The C side of ``numeric/fft.py``. Facts: KISS FFT 1.3.0 ``_kiss_fft_guts.h``.
"""

from __future__ import annotations

from arenite.c_text import fill, templates, with_lines

_C = templates(__name__)
_FRACTIONS = _C["fractions"]


def _header(name: str, type_: str, basics: str, **values: str) -> str:
    text = with_lines(_C["header"], basics=basics)
    return fill(text, name=name, NAME=name.upper(), type=type_, **values) + "\n"


#: A header's text by the name of its numbers.
HEADERS = {
    "fourier_int16": _header(
        "fourier_int16",
        "int16_t",
        _FRACTIONS,
        unsigned="uint32_t",
        wide="int32_t",
        bits="16",
        wrapped="(((int32_t)(x & 0xffffu) ^ 0x8000) - 0x8000)",
        half_sum="(int16_t)((a + b) >> 1)",
        half_difference="(int16_t)((a - b) >> 1)",
    ),
    "fourier_int32": _header(
        "fourier_int32",
        "int32_t",
        _FRACTIONS,
        unsigned="uint64_t",
        wide="int64_t",
        bits="32",
        wrapped="ar_wrap((uint32_t)x)",
        half_sum="ar_fourier_int32_add(a, b) >> 1",
        half_difference="ar_fourier_int32_subtract(a, b) >> 1",
    ),
    "fourier_float": _header("fourier_float", "float", _C["floats"]),
}
