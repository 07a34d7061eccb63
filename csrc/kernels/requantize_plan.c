#include "requantize_plan.h"

ar_requantize_mode ar_requantize_integer_plan(ar_requantize_block *block, int lane,
                                              int32_t multiplier, int32_t shift,
                                              int32_t output_offset) {
  int place = (lane & 1) * (AR_BLOCK / 2) + lane / 2;
  block->multiplier[lane] = multiplier;
  block->shift[lane] = shift;
  block->output_offset = output_offset;
  /* Beyond a right shift of 20 the folded output offset could leave 64 bits. */
  if (shift > -1 || shift < -20) {
    block->constant[place] = 0;
    block->total[place] = 32;
    block->exact = AR_REQUANT_SLOW;
    return AR_REQUANT_SLOW;
  }
  int64_t total = 31 - shift;
  block->constant[place] =
      (INT64_C(1) << 30) + (INT64_C(1) << (total - 1)) + output_offset * (INT64_C(1) << total);
  block->total[place] = total;
  if (block->exact < AR_REQUANT_INTEGER) block->exact = AR_REQUANT_INTEGER;
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

int ar_requantize_line(const ar_steps *steps, double scale, double rounding, double *offset,
                       double *negative_offset) {
  double low[2] = {-1e30, -1e30}, high[2] = {1e30, 1e30};
  for (int i = 0; i < steps->count; ++i) {
    double edge = (double)(steps->first + i) - rounding;
    int32_t on = steps->threshold[i], before = on - 1;
    double least = edge - scale * on, most = edge - scale * before;
    if (on <= steps->high && least > low[on < 0]) low[on < 0] = least;
    if (before >= steps->low && most < high[before < 0]) high[before < 0] = most;
  }
  double joint_low = low[0] > low[1] ? low[0] : low[1];
  double joint_high = high[0] < high[1] ? high[0] : high[1];
  if (joint_low < joint_high) {
    *offset = *negative_offset = 0.5 * (joint_low + joint_high);
    return AR_REQUANT_FLOAT;
  }
  if (steps->one_sign) return AR_REQUANT_INTEGER;
  *offset = 0.5 * (low[0] + high[0]);
  *negative_offset = 0.5 * (low[1] + high[1]);
  return low[0] < high[0] && low[1] < high[1] ? AR_REQUANT_SIGNED : AR_REQUANT_INTEGER;
}
