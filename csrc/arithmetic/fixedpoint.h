/* The integer arithmetic of quantised kernels: the C side of numeric/fixedpoint.py and numeric/gemmlowp.py.
 *
 * Facts: gemmlowp fixedpoint.h; TFLM kernels/internal/common.h.
 */
#pragma once

#include <stdint.h>

static inline int32_t ar_srdhm(int32_t a, int32_t b) {
  /* Only INT32_MIN squared leaves int32. An unsigned shift is one that AVX2 has. */
  const uint64_t rounded = (uint64_t)((int64_t)a * b + (INT64_C(1) << 30));
  return a == INT32_MIN && b == INT32_MIN ? INT32_MAX : (int32_t)(uint32_t)(rounded >> 31);
}

static inline int32_t ar_rdbpot(int32_t x, int32_t exponent) {
  int32_t mask = (int32_t)((INT64_C(1) << exponent) - 1);
  int32_t threshold = (mask >> 1) + (x < 0);
  return (x >> exponent) + ((x & mask) > threshold);
}

/* Multiplies by 2^exponent, saturating. */
static inline int32_t ar_saturating_shift(int32_t x, int32_t exponent) {
  int64_t wide = (int64_t)x * (INT64_C(1) << exponent);
  return wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
}

/* A shift's low byte is the shift. AR_ONCE on top asks for one rounding instead of two: a build
 * with TFLITE_SINGLE_ROUNDING and CMSIS_NN_USE_SINGLE_ROUNDING. All shifts of a record agree. */
enum { AR_ONCE = 256, AR_NARROW = 512 };

static inline int ar_rounds_once(int32_t shift) { return shift >= AR_ONCE / 2; }

static inline int ar_is_narrow(int32_t shift) { return shift >= AR_NARROW - AR_ONCE / 2; }

static inline int32_t ar_bare_shift(int32_t shift) { return (int8_t)(uint8_t)(uint32_t)shift; }

/* x * multiplier * 2^(shift - 31), rounded once, halves up; shifts without AR_ONCE, up to 30. */
static inline int32_t ar_multiply_rounding_once(int32_t x, int32_t multiplier, int32_t shift) {
  const int32_t total = 31 - shift;
  const int64_t rounded = (int64_t)x * multiplier + (INT64_C(1) << (total - 1));
  return (int32_t)(rounded >> total);
}

/* TFLM's MultiplyByQuantizedMultiplier for int32: two roundings; a left shift wraps. */
static inline int32_t ar_multiply_by_quantized_multiplier(int32_t x, int32_t multiplier,
                                                          int32_t shift) {
  int32_t left = shift > 0 ? shift : 0;
  int32_t right = shift > 0 ? 0 : -shift;
  return ar_rdbpot(ar_srdhm((int32_t)((uint32_t)x << left), multiplier), right);
}

/* Once or twice, for loops that know. */
static inline int32_t ar_scale(const int once, int32_t x, int32_t multiplier, int32_t shift) {
  return once ? ar_multiply_rounding_once(x, multiplier, ar_bare_shift(shift))
              : ar_multiply_by_quantized_multiplier(x, multiplier, shift);
}

/* With as many roundings as the shift asks for. */
static inline int32_t ar_rescale(int32_t x, int32_t multiplier, int32_t shift) {
  return ar_scale(ar_rounds_once(shift), x, multiplier, shift);
}

/* The same for int64 accumulators: the multiplier has 16 bits, one rounding in all builds. With
 * AR_NARROW on top of the shift the result wraps to 31 bits instead of 32, as CMSIS-NN's does. */
static inline int32_t ar_multiply_by_quantized_multiplier_int64(int64_t x, int32_t multiplier,
                                                                int32_t shift) {
  int32_t reduced = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
  int32_t total = 15 - ar_bare_shift(shift);
  const uint64_t rounded = (uint64_t)x * (uint64_t)reduced + (UINT64_C(1) << (total - 1));
  const int32_t lost = ar_is_narrow(shift);
  return (int32_t)((uint32_t)((int64_t)rounded >> total) << lost) >> lost;
}

static inline int32_t ar_clamp(int32_t x, int32_t low, int32_t high) {
  return x < low ? low : x > high ? high : x;
}

/* x + offset, clamped: a sum that leaves int32 wraps, as on the device. */
static inline int32_t ar_clamp_offset(int32_t x, int32_t offset, int32_t low, int32_t high) {
  return ar_clamp((int32_t)((uint32_t)x + (uint32_t)offset), low, high);
}

/* 2 / (1 + x) for x in [0, 1), Q2.29: three Newton steps on the half denominator. */
static inline int32_t ar_two_over_one_plus_x(int32_t x) {
  int64_t sum = (int64_t)x + INT32_MAX;
  int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t inverse = 1515870810 + ar_srdhm(half, -1010580540); /* 48/17, -32/17 in Q2.29 */
  for (int i = 0; i < 3; ++i) {
    int32_t error = (1 << 29) - ar_srdhm(half, inverse);
    inverse += ar_saturating_shift(ar_srdhm(inverse, error), 2);
  }
  return inverse;
}

/* 1 / (1 + x) and (1 - x) / (1 + x) for x in [0, 1), Q0.31. */
static inline int32_t ar_one_over_one_plus_x(int32_t x) {
  return ar_saturating_shift(ar_two_over_one_plus_x(x), 1);
}

static inline int32_t ar_one_minus_x_over_one_plus_x(int32_t x) {
  return ar_saturating_shift(ar_two_over_one_plus_x(x) - (1 << 29), 2);
}

static inline int32_t ar_leading_zeros(uint32_t x) { return x ? __builtin_clz(x) : 32; }

/* 1 / sqrt(x) = multiplier * 2^(shift - 31) of some integers; of less than 1 that of 1. Five Newton
 * steps from 1, with three integer bits (TFLM GetInvSqrtQuantizedMultiplierExp). The steps wait for
 * each other: those of several numbers are taken side by side. */
enum { AR_ROOTS = 8 };

static inline void ar_inverse_sqrt(const int32_t x[AR_ROOTS], int32_t multiplier[AR_ROOTS],
                                   int32_t shift[AR_ROOTS]) {
  int32_t half[AR_ROOTS], root[AR_ROOTS], right[AR_ROOTS];
  for (int i = 0; i < AR_ROOTS; ++i) {
    const int32_t positive = x[i] > 1 ? x[i] : 2;
    const int32_t zeros = ar_leading_zeros((uint32_t)positive);
    const int32_t quarters = zeros < 4 ? (4 - zeros) / 2 : 0;
    const int32_t value = positive >> 2 * quarters;
    const int32_t doublings = (ar_leading_zeros((uint32_t)value) - 1) / 2 - 1;
    half[i] = ar_rdbpot((value << 2 * doublings) >> 1, 1);
    right[i] = 11 + quarters - doublings;
    root[i] = 1 << 28;
  }
  for (int step = 0; step < 5; ++step)
    for (int i = 0; i < AR_ROOTS; ++i) {
      const int32_t cube = ar_srdhm(ar_srdhm(root[i], root[i]), root[i]);
      const int32_t next =
          ar_srdhm(3 << 27, root[i]) - ar_srdhm(half[i], ar_saturating_shift(cube, 6));
      root[i] = ar_saturating_shift(next, 3);
    }
  for (int i = 0; i < AR_ROOTS; ++i) {
    const uint32_t last = (uint32_t)ar_srdhm(root[i], 1518500250); /* times sqrt(1/2) */
    multiplier[i] = x[i] <= 1 ? INT32_MAX : (int32_t)(right[i] < 0 ? last << -right[i] : last);
    shift[i] = x[i] <= 1 || right[i] < 0 ? 0 : -right[i];
  }
}

/* 1 / x for x > 0 with integer_bits: Q0.31, to be divided by 2^*bits (TFLM GetReciprocal). */
static inline int32_t ar_reciprocal(int32_t x, int32_t integer_bits, int32_t *bits) {
  int32_t headroom = ar_leading_zeros((uint32_t)x);
  int32_t fraction = (int32_t)(((uint32_t)x << headroom) - (UINT32_C(1) << 31));
  *bits = integer_bits - headroom;
  return ar_one_over_one_plus_x(fraction);
}
