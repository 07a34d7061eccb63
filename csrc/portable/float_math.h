/* exp, tanh and logistic of floats, without calls or branches: loops over them vectorise.
 *
 * The errors are a few units in the last place, as those of C's libraries are; NaN stays NaN.
 * Polynomials: Cephes (expf.c, tanhf.c).
 */
#ifndef ARENITE_PORTABLE_FLOAT_MATH_H
#define ARENITE_PORTABLE_FLOAT_MATH_H

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

/* 2^exponent for -126 <= exponent <= 127. */
static inline float ar_power_of_two(int32_t exponent) {
  return ar_float_of_bits((uint32_t)(exponent + 127) << 23);
}

static inline float ar_exp(float x) {
  /* Past these bounds the result is infinity or zero, in two factors that floats can hold. */
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  /* Adding 1.5 * 2^23 rounds to the nearest integer, which then is in the low bits. */
  const float shifter = 12582912.0f;
  const float shifted = x * 1.44269504088896341f + shifter;
  const float whole = shifted - shifter;
  const uint32_t n = ar_bits_of_float(shifted) - ar_bits_of_float(shifter);
  const float r = (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const uint32_t half = n / 2 | (n & UINT32_C(0x80000000)); /* signed, for what NaN gives too */
  return p * ar_float_of_bits((half + 127) << 23) * ar_float_of_bits((n - half + 127) << 23);
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

#endif
