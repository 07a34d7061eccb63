// template: header
/* Complex numbers of $type. */
#ifndef ARENITE_FOURIER_$NAME$_H
#define ARENITE_FOURIER_$NAME$_H

#include "arithmetic.h"

typedef struct {
  $type re, im;
} ar_$name;

$basics;

static inline ar_$name ar_$name$_plus(ar_$name a, ar_$name b) {
  const ar_$name sum = {ar_$name$_add(a.re, b.re), ar_$name$_add(a.im, b.im)};
  return sum;
}

static inline ar_$name ar_$name$_minus(ar_$name a, ar_$name b) {
  const ar_$name difference = {ar_$name$_subtract(a.re, b.re), ar_$name$_subtract(a.im, b.im)};
  return difference;
}

static inline ar_$name ar_$name$_conjugate(ar_$name a) {
  const ar_$name other = {a.re, ar_$name$_subtract(0, a.im)};
  return other;
}

/* Both parts times a real number. */
static inline ar_$name ar_$name$_scaled(ar_$name a, $type factor) {
  const ar_$name product = {ar_$name$_scale(a.re, factor), ar_$name$_scale(a.im, factor)};
  return product;
}

#endif

// template: floats
static inline float ar_$name$_add(float a, float b) { return a + b; }
static inline float ar_$name$_subtract(float a, float b) { return a - b; }
static inline float ar_$name$_scale(float a, float factor) { return a * factor; }
static inline float ar_$name$_half_sum(float a, float b) { return (a + b) * 0.5f; }
static inline float ar_$name$_half_difference(float a, float b) { return (a - b) * 0.5f; }
static inline float ar_$name$_half(float a) { return a * 0.5f; }
static inline ar_$name ar_$name$_times(ar_$name a, ar_$name b) {
  const ar_$name product = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return product;
}

// template: fractions
/* The low bits. */
// clang-format off
static inline $type ar_$name$_wrap($unsigned x) {
  return ($type)$wrapped;
}
// clang-format on
static inline $type ar_$name$_add($type a, $type b) {
  return ar_$name$_wrap(($unsigned)a + ($unsigned)b);
}
static inline $type ar_$name$_subtract($type a, $type b) {
  return ar_$name$_wrap(($unsigned)a - ($unsigned)b);
}
/* A product as a fraction. */
static inline $type ar_$name$_round($unsigned product) {
  const $wide sum = ($wide)(product + (($unsigned)1 << ($bits - 2)));
  return ar_$name$_wrap(($unsigned)(sum >> ($bits - 1)));
}
static inline $type ar_$name$_scale($type a, $type factor) {
  return ar_$name$_round(($unsigned)(($wide)a * factor));
}
static inline $type ar_$name$_half_sum($type a, $type b) { return $half_sum; }
static inline $type ar_$name$_half_difference($type a, $type b) { return $half_difference; }
static inline $type ar_$name$_half($type a) { return ($type)(a >> 1); }
static inline ar_$name ar_$name$_times(ar_$name a, ar_$name b) {
  const $unsigned re = ($unsigned)(($wide)a.re * b.re) - ($unsigned)(($wide)a.im * b.im);
  const $unsigned im = ($unsigned)(($wide)a.re * b.im) + ($unsigned)(($wide)a.im * b.re);
  const ar_$name product = {ar_$name$_round(re), ar_$name$_round(im)};
  return product;
}
