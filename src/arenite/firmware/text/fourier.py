"""``fourier_TYPE.h``: complex numbers of fractions or floats, for Fourier transforms.

The C side of ``numeric/fft.py``. Facts: KISS FFT 1.3.0 ``_kiss_fft_guts.h``.
"""

from __future__ import annotations

from string import Template

_HEADER = """\
/* Complex numbers of $type. */
#ifndef ARENITE_FOURIER_${NAME}_H
#define ARENITE_FOURIER_${NAME}_H

#include "arithmetic.h"

typedef struct {
  $type re, im;
} ar_${name};

$basics

static inline ar_${name} ar_${name}_plus(ar_${name} a, ar_${name} b) {
  const ar_${name} sum = {ar_${name}_add(a.re, b.re), ar_${name}_add(a.im, b.im)};
  return sum;
}

static inline ar_${name} ar_${name}_minus(ar_${name} a, ar_${name} b) {
  const ar_${name} difference = {ar_${name}_subtract(a.re, b.re), ar_${name}_subtract(a.im, b.im)};
  return difference;
}

static inline ar_${name} ar_${name}_conjugate(ar_${name} a) {
  const ar_${name} other = {a.re, ar_${name}_subtract(0, a.im)};
  return other;
}

/* Both parts times a real number. */
static inline ar_${name} ar_${name}_scaled(ar_${name} a, $type factor) {
  const ar_${name} product = {ar_${name}_scale(a.re, factor), ar_${name}_scale(a.im, factor)};
  return product;
}

#endif
"""

_FLOATS = """\
static inline float ar_${name}_add(float a, float b) { return a + b; }
static inline float ar_${name}_subtract(float a, float b) { return a - b; }
static inline float ar_${name}_scale(float a, float factor) { return a * factor; }
static inline float ar_${name}_half_sum(float a, float b) { return (a + b) * 0.5f; }
static inline float ar_${name}_half_difference(float a, float b) { return (a - b) * 0.5f; }
static inline float ar_${name}_half(float a) { return a * 0.5f; }
static inline ar_${name} ar_${name}_times(ar_${name} a, ar_${name} b) {
  const ar_${name} product = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return product;
}"""

_FRACTIONS = """\
/* The low bits. */
static inline $type ar_${name}_wrap($unsigned x) {
  return ($type)$wrapped;
}
static inline $type ar_${name}_add($type a, $type b) {
  return ar_${name}_wrap(($unsigned)a + ($unsigned)b);
}
static inline $type ar_${name}_subtract($type a, $type b) {
  return ar_${name}_wrap(($unsigned)a - ($unsigned)b);
}
/* A product as a fraction. */
static inline $type ar_${name}_round($unsigned product) {
  const $wide sum = ($wide)(product + (($unsigned)1 << ($bits - 2)));
  return ar_${name}_wrap(($unsigned)(sum >> ($bits - 1)));
}
static inline $type ar_${name}_scale($type a, $type factor) {
  return ar_${name}_round(($unsigned)(($wide)a * factor));
}
static inline $type ar_${name}_half_sum($type a, $type b) { return $half_sum; }
static inline $type ar_${name}_half_difference($type a, $type b) { return $half_difference; }
static inline $type ar_${name}_half($type a) { return ($type)(a >> 1); }
static inline ar_${name} ar_${name}_times(ar_${name} a, ar_${name} b) {
  const $unsigned re = ($unsigned)(($wide)a.re * b.re) - ($unsigned)(($wide)a.im * b.im);
  const $unsigned im = ($unsigned)(($wide)a.re * b.im) + ($unsigned)(($wide)a.im * b.re);
  const ar_${name} product = {ar_${name}_round(re), ar_${name}_round(im)};
  return product;
}"""


def _header(name: str, type_: str, basics: str, **values: str) -> str:
    text = Template(_HEADER.replace("$basics", basics))
    return text.substitute(name=name, NAME=name.upper(), type=type_, **values)


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
    "fourier_float": _header("fourier_float", "float", _FLOATS),
}
