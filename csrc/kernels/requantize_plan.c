#include "requantize_plan.h"

ar_requantize_mode ar_requantize_integer_plan(ar_requantize_integers *way, int lane,
                                              int32_t multiplier, int32_t shift,
                                              int32_t output_offset) {
  int place = (lane & 1) * (AR_BLOCK / 2) + lane / 2;
  way->multiplier[lane] = multiplier;
  way->shift[lane] = shift;
  way->output_offset = output_offset;
  /* Beyond a right shift of 20 the folded output offset could leave 64 bits; the rounding of
   * the 64-bit form is that of positive multipliers. */
  if (shift > -1 || shift < -20 || multiplier < 0) {
    way->mode = AR_REQUANT_SLOW;
    return AR_REQUANT_SLOW;
  }
  const int64_t total = 31 - shift;
  way->constant[place] =
      (INT64_C(1) << 30) + (INT64_C(1) << (total - 1)) + output_offset * (INT64_C(1) << total);
  way->high_shift[lane] = (int32_t)(total - 32);
  if (way->mode < AR_REQUANT_INTEGER) way->mode = AR_REQUANT_INTEGER;
  return AR_REQUANT_INTEGER;
}

/* ceil(numerator / divisor) for numerators in equal steps: one division for all of them. */
typedef struct {
  int64_t value;         /* ceil(numerator / divisor) */
  int64_t slack;         /* value * divisor - numerator, in [0, divisor) */
  int64_t divisor;
  int64_t quotient, rest; /* of the step by the divisor */
} stepped_ceil;

static stepped_ceil start_ceil(__int128 numerator, int64_t step, int64_t divisor) {
  int64_t value = (int64_t)(numerator / divisor) + (numerator % divisor > 0);
  return (stepped_ceil){value, (int64_t)((__int128)value * divisor - numerator), divisor,
                        step / divisor, step % divisor};
}

static void next_ceil(stepped_ceil *c) {
  c->value += c->quotient;
  c->slack -= c->rest;
  if (c->slack < 0) {
    c->value += 1;
    c->slack += c->divisor;
  }
}

void ar_requantize_steps(ar_steps *steps, int32_t multiplier, int32_t shift,
                         int32_t output_offset, int32_t activation_min, int32_t activation_max,
                         ar_range range) {
  const int64_t step = INT64_C(1) << (31 - shift);
  const int64_t constant = (INT64_C(1) << 30) + step / 2;
  const __int128 first = (__int128)(activation_min + 1 - output_offset) * step - constant;
  stepped_ceil positive = start_ceil(first, step, multiplier);
  stepped_ceil negative = start_ceil(first + (INT64_C(1) << 31), step, multiplier);
  steps->first = activation_min + 1;
  steps->count = activation_max - activation_min;
  steps->low = (int32_t)range.low;
  steps->high = (int32_t)range.high;
  for (int32_t i = 0; i < steps->count; ++i) {
    int64_t a = positive.value;
    if (a < 0) a = negative.value < 0 ? negative.value : 0;
    if (a < range.low) a = range.low;
    if (a > range.high + 1) a = range.high + 1;
    steps->threshold[i] = (int32_t)a;
    next_ceil(&positive);
    next_ceil(&negative);
  }
}

void ar_requantize_move(ar_steps *steps, int32_t center) {
  steps->one_sign = steps->low >= 0 || steps->high < 0;
  steps->low -= center;
  steps->high -= center;
  for (int32_t i = 0; i < steps->count; ++i) steps->threshold[i] -= center;
}
