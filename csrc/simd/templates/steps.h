/* The steps of one channel's output: where each value of it begins. */
#pragma once

#include "arithmetic/fixedpoint.h"
#include "arithmetic/requantize_plan.h"

enum { AR_STEP_LANES = 8, AR_MAX_STEPS = 256 };

/* threshold[i] is the smallest accumulator in [low, high] whose output is at least output[i], or
 * high + 1 if none is. Up to the next multiple of 16 the last step is there again. */
typedef struct {
  int32_t count;
  int32_t low, high;
  int32_t one_sign; /* of the accumulators before they were moved */
  _Alignas(64) int32_t threshold[AR_MAX_STEPS];
  _Alignas(64) int32_t output[AR_MAX_STEPS];
} ar_steps;

/* ceil(numerator / divisor) for numerators in equal steps, a lane each: one division for all. */
typedef struct {
  int64_t value[AR_STEP_LANES]; /* ceil(numerator / divisor) */
  int64_t slack[AR_STEP_LANES]; /* value * divisor - numerator, in [0, divisor) */
} ar_ceils;

/* For numerators (k + lane) * (quotient * divisor + rest) - constant; |k| < 2^9, quotient <= 2^32,
 * rest < divisor < 2^31, 0 <= constant < 2^62. */
static inline ar_ceils ar_start_ceils(int64_t k, int64_t quotient, int64_t rest, int64_t divisor,
                                      int64_t constant) {
  const int64_t numerator = k * rest - constant;
  const int64_t ceil = numerator / divisor + (numerator % divisor > 0);
  int64_t value = k * quotient + ceil, slack = ceil * divisor - numerator;
  ar_ceils c;
  for (int lane = 0; lane < AR_STEP_LANES; ++lane) {
    c.value[lane] = value;
    c.slack[lane] = slack;
    const int64_t carry = slack < rest;
    value += quotient + carry;
    slack += (carry ? divisor : 0) - rest;
  }
  return c;
}

/* The steps of a lane whose shift lies in [-31, -1] and whose multiplier is at least 2^30, between
 * the activation's bounds, as far as accumulators in the range reach them; the range lies within
 * int32 and stays off its ends.
 *
 * `center` is taken off all accumulators; where they had one sign, both signs then share a
 * line. */
static inline void ar_find_steps(ar_steps *steps, int32_t multiplier, int32_t shift,
                                 int32_t output_offset, int32_t activation_min,
                                 int32_t activation_max, ar_range range, int32_t center) {
  const int64_t divisor = multiplier, step = INT64_C(1) << (31 - ar_bare_shift(shift));
  const int64_t twice = !ar_rounds_once(shift);
  const int64_t quotient = step / divisor, rest = step % divisor;
  /* From one group of lanes to the next. */
  const int64_t group_quotient = AR_STEP_LANES * quotient + AR_STEP_LANES * rest / divisor;
  const int64_t group_rest = AR_STEP_LANES * rest % divisor;
  const int64_t first = (int64_t)activation_min + 1 - output_offset;
  const int64_t constant = (twice << 30) + step / 2;
  /* Accumulators from 0 on, and those below: two roundings differ there. */
  ar_ceils up = ar_start_ceils(first, quotient, rest, divisor, constant);
  ar_ceils down = ar_start_ceils(first, quotient, rest, divisor, constant - (twice << 31));
  const int64_t low = range.low, end = range.high + 1;
  steps->count = activation_max - activation_min;
  steps->one_sign = range.low >= 0 || range.high < 0;
  steps->low = (int32_t)low - center;
  steps->high = (int32_t)(range.high - center);
  for (int i = 0; i < steps->count; i += AR_STEP_LANES)
    for (int lane = 0; lane < AR_STEP_LANES; ++lane) {
      const int64_t below = down.value[lane] < 0 ? down.value[lane] : 0;
      int64_t at = up.value[lane] < 0 ? below : up.value[lane];
      at = at < low ? low : at;
      at = at > end ? end : at;
      steps->threshold[i + lane] = (int32_t)(at - center);
      steps->output[i + lane] = activation_min + 1 + i + lane;
      const int64_t up_carry = up.slack[lane] < group_rest;
      const int64_t down_carry = down.slack[lane] < group_rest;
      up.value[lane] += group_quotient + up_carry;
      down.value[lane] += group_quotient + down_carry;
      up.slack[lane] += (up_carry ? divisor : 0) - group_rest;
      down.slack[lane] += (down_carry ? divisor : 0) - group_rest;
    }
  const int last = steps->count - 1;
  for (int i = last + 1; i > 0 && i % 16; ++i) {
    steps->threshold[i] = steps->threshold[last];
    steps->output[i] = steps->output[last];
  }
}
