#include "parameters.h"

#include <string.h>

#include "arithmetic/fixedpoint.h"

/* Of the 52 fraction bits 30 stay. Half of what falls off is added to the whole number, so that a
 * fraction which rounds up to 1 carries into the exponent. What is negative or not finite has an
 * exponent outside of the range; what is too small is zero. */
static int split(double real, int32_t rounding, int32_t *multiplier, int32_t *shift) {
  int64_t bits;
  memcpy(&bits, &real, sizeof bits);
  bits = (int64_t)((uint64_t)bits + (UINT64_C(1) << 21));
  const int64_t exponent = (bits >> 52) - 1022;
  if (bits >= 0 && exponent < -31) {
    *multiplier = 0;
    *shift = rounding;
    return 1;
  }
  *multiplier = (int32_t)(bits >> 22 & 0x3FFFFFFF) | 0x40000000;
  *shift = (int32_t)exponent + rounding;
  return exponent >= -31 && exponent <= 30;
}

int32_t ar_quantize_multipliers(double before, const void *scales, int64_t count, double behind,
                                int32_t rounding, int64_t channels, int32_t *multiplier,
                                int32_t *shift) {
  int plain = count > 0;
  for (int64_t i = 0; i < count; ++i) {
    float scale;
    memcpy(&scale, (const uint8_t *)scales + i * (int64_t)sizeof scale, sizeof scale);
    plain &= split(before * (double)scale / behind, rounding, &multiplier[i], &shift[i]);
  }
  for (int64_t i = count; plain && i < channels; ++i) {
    multiplier[i] = multiplier[0];
    shift[i] = shift[0];
  }
  return plain;
}

/* exp(x) for x in [-1/4, 0), no integer bits: a Taylor series about -1/8. */
static int32_t exp_on_last_quarter(int32_t x) {
  const int32_t exp_minus_eighth = 1895147668, third = 715827883;
  x += 1 << 28;
  const int32_t x2 = ar_srdhm(x, x), x3 = ar_srdhm(x2, x);
  const int32_t quarter_x4 = ar_rdbpot(ar_srdhm(x2, x2), 2);
  const int32_t higher = ar_rdbpot(ar_srdhm(quarter_x4 + x3, third) + x2, 1);
  return exp_minus_eighth + ar_srdhm(exp_minus_eighth, x + higher);
}

/* exp(x) for x <= 0 with at most five integer bits. */
static int32_t exp_on_negative(int32_t x, const int integer_bits) {
  static const int32_t exp_minus_power[] = {1672461947, 1302514674, 790015084, 290630308,
                                            39332535,   720401,     242}; /* 2^-2 .. 2^4 */
  const int fractional_bits = 31 - integer_bits;
  const int32_t quarter = 1 << (fractional_bits - 2);
  const int32_t within = (x & (quarter - 1)) - quarter;
  const int64_t remainder = (int64_t)within - x;
  int32_t result = exp_on_last_quarter(ar_saturating_shift(within, integer_bits));
  for (int bit = 0; bit < integer_bits + 2; ++bit)
    if (remainder >> (fractional_bits - 2 + bit) & 1)
      result = ar_srdhm(result, exp_minus_power[bit]);
  return x == 0 ? INT32_MAX : result;
}

void ar_difference_table(int32_t multiplier, int32_t left_shift, int32_t count, int32_t *table) {
  for (int32_t i = 0; i < count; ++i) {
    const int32_t shifted = (int32_t)(-(int64_t)i * (INT64_C(1) << left_shift));
    table[i] = exp_on_negative(ar_srdhm(shifted, multiplier), 5);
  }
}

/* 1 / (1 + exp(-x)) of x with four integer bits. */
static int32_t logistic(int32_t x) {
  if (x == 0) return 1 << 30;
  const int32_t positive = ar_one_over_one_plus_x(exp_on_negative(x < 0 ? x : -x, 4));
  return x > 0 ? positive : INT32_MAX - positive;
}

/* The same, of -2 |x|: one integer bit more. */
static int32_t hyperbolic_tangent(int32_t x) {
  if (x == 0) return 0;
  const int32_t size = ar_one_minus_x_over_one_plus_x(exp_on_negative(x < 0 ? x : -x, 5));
  return x < 0 ? -size : size;
}

int32_t ar_sigmoid_table(int32_t is_tanh, int32_t zero_point, int32_t radius, int32_t multiplier,
                         int32_t left_shift, int8_t *table) {
  for (int32_t i = 0; i < 256; ++i) {
    const int64_t centred = (int64_t)(int8_t)i - zero_point;
    if (centred <= -(int64_t)radius || centred >= radius) {
      table[i] = centred <= -(int64_t)radius ? -128 : 127;
      continue;
    }
    const int32_t x = ar_srdhm((int32_t)(centred * (INT64_C(1) << left_shift)), multiplier);
    const int32_t y =
        is_tanh ? ar_rdbpot(hyperbolic_tangent(x), 24) : ar_rdbpot(logistic(x), 23) - 128;
    table[i] = (int8_t)ar_clamp(y, -128, 127);
  }
  return 1;
}
