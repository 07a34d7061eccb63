/* Functions of floats, nearly all without calls or branches: loops over them vectorise.
 *
 * The errors are a few units in the last place, as those of C's libraries are; NaN stays NaN.
 * Polynomials: Cephes (expf.c, logf.c, sinf.c, tanhf.c).
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float ar_float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t ar_bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* a * b + c, rounded once where the processor does that as fast as twice. */
static inline float ar_multiply_add(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/* The nearest integer, halves to the even one. */
static inline float ar_round(float x) {
#ifdef __SSE4_1__
  return __builtin_rintf(x);
#else
  const uint32_t sign = ar_bits_of_float(x) & UINT32_C(0x80000000);
  const float magnitude = ar_float_of_bits(ar_bits_of_float(x) & UINT32_C(0x7FFFFFFF));
  const float near = magnitude + 8388608.0f - 8388608.0f; /* from 2^23 on all are integers */
  const float rounded = magnitude < 8388608.0f ? near : magnitude;
  return ar_float_of_bits(ar_bits_of_float(rounded) | sign);
#endif
}

/* e^x is the returned number, around 1, times 2^n. */
static inline float ar_exp_parts(float x, uint32_t *n) {
  /* Adding 1.5 * 2^23 rounds to the nearest integer, which then is in the low bits. */
  const float shifter = 12582912.0f;
  const float shifted = ar_multiply_add(x, 1.44269504088896341f, shifter);
  const float whole = shifted - shifter;
  *n = ar_bits_of_float(shifted) - ar_bits_of_float(shifter);
  const float high = ar_multiply_add(whole, -0.693359375f, x);
  const float r = ar_multiply_add(whole, 2.12194440e-4f, high);
  float p = 1.9875691500e-4f;
  p = ar_multiply_add(p, r, 1.3981999507e-3f);
  p = ar_multiply_add(p, r, 8.3334519073e-3f);
  p = ar_multiply_add(p, r, 4.1665795894e-2f);
  p = ar_multiply_add(p, r, 1.6666665459e-1f);
  p = ar_multiply_add(p, r, 5.0000001201e-1f);
  return ar_multiply_add(p, r * r, r) + 1.0f;
}

static inline float ar_exp(float x) {
  /* Past these bounds the result is infinity or zero, in two factors that floats can hold. */
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  uint32_t n;
  const float p = ar_exp_parts(x, &n);
  const uint32_t half = n / 2 | (n & UINT32_C(0x80000000)); /* signed, for what NaN gives too */
  return p * ar_float_of_bits((half + 127) << 23) * ar_float_of_bits((n - half + 127) << 23);
}

/* Of magnitudes up to this, e^x and 2^n are normal numbers. */
#define AR_SMALL_EXPONENT 87.0f

static inline float ar_exp_of_small(float x) {
  uint32_t n;
  const float p = ar_exp_parts(x, &n);
  return p * ar_float_of_bits((n + 127) << 23);
}

/* exp(x) - 1 for x < 0; near 0 the difference would lose digits. */
static inline float ar_expm1_of_negative(float x) {
  float p = 1.0f + x * (1.0f / 8.0f);
  p = 1.0f + x * (1.0f / 7.0f) * p;
  p = 1.0f + x * (1.0f / 6.0f) * p;
  p = 1.0f + x * (1.0f / 5.0f) * p;
  p = 1.0f + x * (1.0f / 4.0f) * p;
  p = 1.0f + x * (1.0f / 3.0f) * p;
  p = 1.0f + x * 0.5f * p;
  return x > -0.5f ? x * p : ar_exp(x) - 1.0f;
}

/* 1 / (1 + exp(-x)), and exp(x) below -9, as TFLM has it. */
static inline float ar_logistic(float x) {
  const int small = x < -9.0f;
  const float e = ar_exp(small ? x : -x);
  const float usual = 1.0f / (1.0f + e);
  return small ? e : usual;
}

/* The natural logarithm of normal numbers: of m * 2^e with m between the roots of 1/2 and of 2. */
static inline float ar_log_of_normal(float x) {
  const uint32_t root_half = UINT32_C(0x3F3504F3);
  const uint32_t bits = ar_bits_of_float(x) - root_half;
  const float e = (float)((int32_t)bits >> 23);
  const float m = ar_float_of_bits((bits & UINT32_C(0x007FFFFF)) + root_half) - 1.0f;
  const float z = m * m;
  float p = 7.0376836292e-2f;
  p = ar_multiply_add(p, m, -1.1514610310e-1f);
  p = ar_multiply_add(p, m, 1.1676998740e-1f);
  p = ar_multiply_add(p, m, -1.2420140846e-1f);
  p = ar_multiply_add(p, m, 1.4249322787e-1f);
  p = ar_multiply_add(p, m, -1.6668057665e-1f);
  p = ar_multiply_add(p, m, 2.0000714765e-1f);
  p = ar_multiply_add(p, m, -2.4999993993e-1f);
  p = ar_multiply_add(p, m, 3.3333331174e-1f);
  const float small = ar_multiply_add(p * m, z, ar_multiply_add(e, -2.12194440e-4f, -0.5f * z));
  return ar_multiply_add(e, 0.693359375f, m + small);
}

static inline float ar_log(float x) {
  const int tiny = x < 1.17549435e-38f; /* subnormal numbers get an exponent */
  const float usual = ar_log_of_normal(tiny ? x * 8388608.0f : x) - (tiny ? 15.942385152f : 0.0f);
  const float special = x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x; /* infinity and NaN stay */
  return x > 0.0f && x <= 3.40282347e+38f ? usual : special;
}

/* 1 / sqrt(x) of normal numbers: a guess from the bits, and three Newton steps. */
static inline float ar_inverse_root_of_normal(float x) {
  const float half = -0.5f * x;
  float y = ar_float_of_bits(UINT32_C(0x5F375A86) - (ar_bits_of_float(x) >> 1));
  for (int i = 0; i < 3; ++i) y *= ar_multiply_add(half * y, y, 1.5f);
  return y;
}

/* Whether a loop may leave special cases out. As bits, infinity and NaN are larger than any
 * number. */
static inline int ar_are_magnitudes_under(const float *x, int64_t count, float limit) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t magnitude = ar_bits_of_float(x[i]) & UINT32_C(0x7FFFFFFF);
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest <= ar_bits_of_float(limit);
}

/* Whether all are positive, and neither subnormal nor infinite. */
static inline int ar_are_normal(const float *x, int64_t count) {
  uint32_t largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t distance = ar_bits_of_float(x[i]) - UINT32_C(0x00800000);
    largest = distance > largest ? distance : largest;
  }
  return largest < UINT32_C(0x7F000000);
}

/* The sine of r, at most pi/4 in magnitude, moved on by a number of right angles. */
static inline float ar_sine_from(float r, uint32_t quarter) {
  const float z = r * r;
  float s = -1.9515295891e-4f;
  s = ar_multiply_add(s, z, 8.3321608736e-3f);
  s = ar_multiply_add(s, z, -1.6666654611e-1f);
  s = ar_multiply_add(s * z, r, r);
  float c = 2.443315711809948e-5f;
  c = ar_multiply_add(c, z, -1.388731625493765e-3f);
  c = ar_multiply_add(c, z, 4.166664568298827e-2f);
  c = ar_multiply_add(c * z, z, ar_multiply_add(z, -0.5f, 1.0f));
  const uint32_t value = ar_bits_of_float(quarter & 1 ? c : s);
  return ar_float_of_bits(value ^ (quarter & 2) << 30);
}

/* Up to this magnitude right angles can be taken off in floats. */
#define AR_SMALL_ANGLE 8192.0f

/* The sine of a small angle, moved on by a number of right angles: 1 for the cosine. */
static inline float ar_sine_of_small(float x, uint32_t quarter) {
  /* As in ar_exp_parts; of the nearest integer the last two bits matter. */
  const float shifter = 12582912.0f;
  const float shifted = ar_multiply_add(x, 0.636619772367581343f, shifter);
  const float whole = shifted - shifter;
#ifdef __FMA__
  const float r = ar_multiply_add(whole, 4.37113883e-8f, ar_multiply_add(whole, -1.57079637f, x));
#else
  /* pi/2 in three parts; the first two have so few bits that their products are exact. */
  const float r = ((x - whole * 1.5703125f) - whole * 4.837512969970703125e-4f) -
                  whole * 7.54978995489188216e-8f;
#endif
  return ar_sine_from(r, ar_bits_of_float(shifted) + quarter);
}

/* The same of any finite angle: right angles are counted in integers. */
static inline float ar_sine_of_large(float x, uint32_t quarter) {
  /* 2/pi, the first 32 bits before the point. */
  static const uint32_t two_over_pi[8] = {0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                          0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};
  const uint32_t bits = ar_bits_of_float(x);
  const uint32_t mantissa = (bits & UINT32_C(0x007FFFFF)) | UINT32_C(0x00800000);
  /* x = mantissa * 2^(exponent - 150). Bits of 2/pi that give multiples of 4 are left out. */
  const uint32_t from = (bits >> 23 & 255) - 150 + 30;
  const uint32_t *words = two_over_pi + from / 32, skip = from % 32;
  const uint64_t high =
      ((uint64_t)words[0] << 32 | words[1]) << skip | (skip ? words[2] >> (32 - skip) : 0);
  const uint64_t low = (uint32_t)(((uint64_t)words[2] << 32 | words[3]) << skip >> 32);
  const uint64_t angle = mantissa * high + (mantissa * low >> 32); /* of 2^62 right angles */
  const uint64_t n = (angle + (UINT64_C(1) << 61)) >> 62;
  const double r = (double)(int64_t)(angle - (n << 62)) * 3.4061215800865545e-19;
  /* Of a negative angle all turns go the other way. */
  if (bits >> 31) return ar_sine_from((float)-r, quarter - (uint32_t)n);
  return ar_sine_from((float)r, quarter + (uint32_t)n);
}

/* The sine of any angle, moved on by a number of right angles; NaN of infinities. */
static inline float ar_sine(float x, uint32_t quarter) {
  if (x >= -AR_SMALL_ANGLE && x <= AR_SMALL_ANGLE) return ar_sine_of_small(x, quarter);
  return ar_sine_of_large(x, quarter) + (x - x);
}

static inline float ar_tanh(float x) {
  const uint32_t sign = ar_bits_of_float(x) & UINT32_C(0x80000000);
  const float magnitude = ar_float_of_bits(ar_bits_of_float(x) & UINT32_C(0x7FFFFFFF));
  const float large = 1.0f - 2.0f / (ar_exp(2.0f * magnitude) + 1.0f);
  const float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float little = p * z * x + x;
  return magnitude >= 0.625f ? ar_float_of_bits(ar_bits_of_float(large) | sign) : little;
}
