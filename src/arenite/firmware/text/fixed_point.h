// Roots, reciprocals and logarithms in integers, for the few layers with one.
//
// The C side of numeric/gemmlowp.py. Facts: gemmlowp fixedpoint.h; TFLM
// kernels/internal/common.h and reference/log_softmax.h.

/* Roots, reciprocals and logarithms of integers, as TensorFlow Lite Micro rounds them. */
#ifndef ARENITE_FIXED_POINT_H
#define ARENITE_FIXED_POINT_H

#include "arithmetic.h"

/* The low bits as a number with a sign. */
static inline int32_t ar_sign_extend(uint32_t x, int bits) {
  const uint32_t sign = 1u << (bits - 1), low = x & (2u * sign - 1u);
  return (int32_t)(low ^ sign) - (int32_t)sign;
}

/* x / 2^exponent, halves away from zero; exponents beyond 31 as x86 has them. */
static inline int32_t ar_divide_by_any_power(int32_t x, int32_t exponent) {
  const int32_t mask = ar_wrap((uint32_t)((UINT64_C(1) << (exponent & 63)) - 1u));
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> (exponent & 31)) + ((x & mask) > threshold ? 1 : 0);
}

/* 1 / x for x > 0: a fraction of 2^31, to be divided by 2^*bits. */
static inline int32_t ar_reciprocal(int32_t x, int32_t *bits) {
  const int32_t zeros = ar_leading_zeros((uint32_t)x);
  *bits = 31 - zeros;
  return ar_one_over_one_plus(ar_wrap(((uint32_t)x << zeros) - 0x80000000u));
}

/* 1 / sqrt(x) as a multiplier and its shift; of less than 1 it is that of 1. Newton's steps from 1,
 * with three integer bits. */
static inline int32_t ar_inverse_sqrt(int32_t x, int32_t *shift) {
  *shift = 0;
  if (x <= 1) return INT32_MAX;
  const int32_t zeros = ar_leading_zeros((uint32_t)x);
  const int32_t quarters = zeros < 4 ? (4 - zeros) / 2 : 0;
  int32_t value = x >> (2 * quarters);
  const int32_t doublings = (ar_leading_zeros((uint32_t)value) - 1) / 2 - 1;
  value = (int32_t)(((int64_t)value << (2 * doublings)) >> 1);
  const int32_t half = ar_divide_by_power(value, 1);
  int32_t root = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t square = ar_high_product(root, root);
    const int32_t cube = ar_saturating_shift(ar_high_product(square, root), 6);
    // clang-format off
    const int32_t step = ar_wrap((uint32_t)ar_high_product(402653184, root) -
                                 (uint32_t)ar_high_product(half, cube));
    // clang-format on
    root = ar_saturating_shift(step, 3);
  }
  root = ar_high_product(root, 1518500250); /* sqrt(1/2) */
  const int32_t right = 11 + quarters - doublings;
  if (right < 0) return ar_wrap((uint32_t)root << -right);
  *shift = -right;
  return root;
}

static inline int32_t ar_half_sum(int32_t a, int32_t b) {
  const int64_t sum = (int64_t)a + b;
  return (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
}

/* log(x) of x >= 1 with 12 integer bits; the result has 5. */
static inline int32_t ar_fixed_log(int32_t x) {
  const int32_t sqrt_half = 1518500250, sqrt_sqrt_half = 1805811301, quarter = (1 << 29) >> 6;
  /* x = r * 2^power with r around 2^(-1/4), in two ways of which one is in range. */
  const int32_t zeros_a = ar_leading_zeros((uint32_t)x) - 1;
  const int32_t shifted = ar_saturating_shift(x, zeros_a);
  const int32_t r_a = ar_saturating_shift(ar_high_product(shifted, sqrt_half), 1);
  const int64_t power_a = (int64_t)ar_saturating_shift(12 - zeros_a - 1, 25) + quarter;
  const int32_t zeros_b = ar_leading_zeros((uint32_t)ar_high_product(x, sqrt_half)) - 1;
  const int32_t r_b = ar_saturating_shift(x, zeros_b);
  const int64_t power_b = (int64_t)ar_saturating_shift(12 - zeros_b, 25) - quarter;
  const int32_t r = r_a < r_b ? r_a : r_b;
  const int64_t larger = power_a > power_b ? power_a : power_b;
  const int32_t power = larger > INT32_MAX ? INT32_MAX : (int32_t)larger;
  const int32_t p = ar_half_sum(r, sqrt_sqrt_half), q = (r - sqrt_sqrt_half) * 2;
  const int32_t q2 = ar_high_product(q, q);
  const int32_t numerator =
      ar_high_product(q, r) + ar_high_product(ar_high_product(q, q2), 117049297);
  const int32_t denominator = ar_high_product(p, 1057819769 + q + ar_high_product(127690142, q2)) +
                              ar_high_product(638450708, q);
  const int32_t fraction =
      ar_high_product(ar_divide_by_power(numerator, 6), ar_one_over_one_plus(denominator));
  return ar_saturating_shift(ar_high_product(power, 1488522236) + fraction, 1);
}

/* The square root, rounded to nearest; of 32 bits at most 2^16 - 1, of more at most 2^32 - 1. */
static inline uint32_t ar_rounded_root(uint64_t x) {
  const uint64_t limit = x >> 32 ? UINT32_MAX : UINT16_MAX;
  uint64_t root = 0, rest = x;
  for (uint64_t bit = UINT64_C(1) << 62; bit; bit >>= 2) {
    const uint64_t next = root + bit;
    root >>= 1;
    if (rest >= next) rest -= next, root += bit;
  }
  return (uint32_t)(root < limit && rest > root ? root + 1 : root);
}

static inline int16_t ar_saturate_int16(int32_t x) {
  return (int16_t)ar_clamp(x, INT16_MIN, INT16_MAX);
}

#endif
