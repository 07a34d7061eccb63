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
    return AR_REQUANT_SLOW;
  }
  int64_t total = 31 - shift;
  block->constant[place] =
      (INT64_C(1) << 30) + (INT64_C(1) << (total - 1)) + output_offset * (INT64_C(1) << total);
  block->total[place] = total;
  return AR_REQUANT_INTEGER;
}

static int64_t ceil_divide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient + (a % b > 0);
}

void ar_requantize_steps(ar_steps *steps, int32_t multiplier, int32_t shift,
                         int32_t output_offset, int32_t activation_min, int32_t activation_max,
                         int32_t bound) {
  int64_t total = 31 - shift;
  int64_t constant = (INT64_C(1) << 30) + (INT64_C(1) << (total - 1));
  steps->first = activation_min + 1;
  steps->count = 0;
  steps->bound = bound;
  for (int32_t y = activation_min + 1; y <= activation_max; ++y) {
    int64_t wanted = (int64_t)(y - output_offset) * (INT64_C(1) << total) - constant;
    int64_t a = ceil_divide(wanted, multiplier);
    if (a < 0) {
      a = ceil_divide(wanted + (INT64_C(1) << 31), multiplier);
      if (a > 0) a = 0;
    }
    if (a < -(int64_t)bound) a = -(int64_t)bound;
    if (a > (int64_t)bound + 1) a = (int64_t)bound + 1;
    steps->threshold[steps->count++] = (int32_t)a;
  }
}

int ar_requantize_line(const ar_steps *steps, double scale, double *offset,
                       double *negative_offset) {
  double low[2] = {-1e30, -1e30}, high[2] = {1e30, 1e30};
  for (int i = 0; i < steps->count; ++i) {
    double edge = (double)(steps->first + i) - 0.5;
    int32_t on = steps->threshold[i], before = on - 1;
    double least = edge - scale * on, most = edge - scale * before;
    if (on <= steps->bound && least > low[on < 0]) low[on < 0] = least;
    if (before >= -steps->bound && most < high[before < 0]) high[before < 0] = most;
  }
  double joint_low = low[0] > low[1] ? low[0] : low[1];
  double joint_high = high[0] < high[1] ? high[0] : high[1];
  if (joint_low < joint_high) {
    *offset = *negative_offset = 0.5 * (joint_low + joint_high);
    return AR_REQUANT_FLOAT;
  }
  *offset = 0.5 * (low[0] + high[0]);
  *negative_offset = 0.5 * (low[1] + high[1]);
  return low[0] < high[0] && low[1] < high[1] ? AR_REQUANT_SIGNED : AR_REQUANT_INTEGER;
}
