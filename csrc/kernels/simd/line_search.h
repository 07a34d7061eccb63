/* Finds the float lines that replace a channel's two integer roundings, and proves them in the
 * arithmetic that will run. Include an instruction set's lanes.h before. */
#include <math.h>

#include "requantize.h"
#include "steps.h"

typedef struct {
  float scale, offset, negative_offset;
} line;

/* The outputs of 16 accumulators. */
static void on_line(const line *l, const int32_t *acc, int32_t *output) {
  ar_save_i32(output, ar_on_signed_line(ar_load_i32(acc), ar_set_f32(l->scale),
                                        ar_set_f32(l->offset), ar_set_f32(l->negative_offset)));
}

/* A line is monotone on either side of zero, and so is the reference: they are equal on all
 * accumulators if they are on both sides of every step, and if no step that lies on one side
 * is taken on the other. */
static int proves(const ar_steps *steps, const line *l) {
  _Alignas(64) int32_t before[16], y_on[16], y_before[16], around_zero[16] = {0, -1};
  on_line(l, around_zero, around_zero);
  const int32_t at_zero = around_zero[0], at_minus_one = around_zero[1];
  const int32_t both_signs = -(steps->low < 0 && steps->high >= 0);
  for (int i = 0; i < steps->count; i += 16) {
    const int32_t *on = steps->threshold + i, *wanted = steps->output + i;
    for (int lane = 0; lane < 16; ++lane) before[lane] = (int32_t)((uint32_t)on[lane] - 1);
    on_line(l, on, y_on);
    on_line(l, before, y_before);
    int32_t bad = 0;
    for (int lane = 0; lane < 16; ++lane) {
      bad |= (on[lane] <= steps->high) & (y_on[lane] < wanted[lane]);
      bad |= (before[lane] >= steps->low) & (y_before[lane] >= wanted[lane]);
      bad |= both_signs & (on[lane] > 0 ? at_minus_one >= wanted[lane] : at_zero < wanted[lane]);
    }
    if (bad) return 0;
  }
  return 1;
}

/* float32 neighbours of x: 0 is x itself, then one step up, one down, two up ... */
static float neighbour(float x, int number) {
  float y = x;
  for (int i = 0; i < (number + 1) / 2; ++i) y = nextafterf(y, number % 2 ? INFINITY : -INFINITY);
  return y;
}

/* The middle of what all steps allow to a line's offset, in double: an output y begins where
 * the line reaches y. Returns INTEGER where nothing is left between them; otherwise a candidate
 * that must still be proven. */
static ar_requantize_mode middle_line(const ar_steps *steps, double scale, double *offset,
                                      double *negative_offset) {
  enum { LANES = AR_STEP_LANES };
  double low[2][LANES], high[2][LANES]; /* for accumulators >= 0, and below */
  for (int i = 0; i < LANES; ++i) {
    low[0][i] = low[1][i] = -1e30;
    high[0][i] = high[1][i] = 1e30;
  }
  for (int first = 0; first < steps->count; first += LANES)
    for (int i = 0; i < LANES; ++i) {
      const int32_t on = steps->threshold[first + i], output = steps->output[first + i];
      const double least = output - scale * on;
      const double most = output - scale * ((double)on - 1);
      const double least_if = on <= steps->high ? least : -1e30;
      const double most_if = on > steps->low ? most : 1e30;
      const double least0 = on >= 0 ? least_if : -1e30, least1 = on < 0 ? least_if : -1e30;
      const double most0 = on > 0 ? most_if : 1e30, most1 = on <= 0 ? most_if : 1e30;
      low[0][i] = least0 > low[0][i] ? least0 : low[0][i];
      low[1][i] = least1 > low[1][i] ? least1 : low[1][i];
      high[0][i] = most0 < high[0][i] ? most0 : high[0][i];
      high[1][i] = most1 < high[1][i] ? most1 : high[1][i];
    }
  for (int sign = 0; sign < 2; ++sign)
    for (int i = 1; i < LANES; ++i) {
      low[sign][0] = fmax(low[sign][0], low[sign][i]);
      high[sign][0] = fmin(high[sign][0], high[sign][i]);
    }
  const double joint_low = fmax(low[0][0], low[1][0]), joint_high = fmin(high[0][0], high[1][0]);
  if (joint_low < joint_high) {
    *offset = *negative_offset = 0.5 * (joint_low + joint_high);
    return AR_REQUANT_FLOAT;
  }
  if (steps->one_sign) return AR_REQUANT_INTEGER;
  *offset = 0.5 * (low[0][0] + high[0][0]);
  *negative_offset = 0.5 * (low[1][0] + high[1][0]);
  return low[0][0] < high[0][0] && low[1][0] < high[1][0] ? AR_REQUANT_SIGNED
                                                          : AR_REQUANT_INTEGER;
}

/* Looks for a line near the one through the middle of all steps. */
static ar_requantize_mode find_line(const ar_steps *steps, float nearest, line *found) {
  for (int attempt = 0; attempt < 24; ++attempt) {
    const float scale = neighbour(nearest, attempt);
    double offset, negative;
    const ar_requantize_mode mode = middle_line(steps, scale, &offset, &negative);
    if (mode == AR_REQUANT_INTEGER) continue;
    for (int nudge = 0; nudge < 3; ++nudge) {
      *found = (line){scale, neighbour((float)offset, nudge), neighbour((float)negative, nudge)};
      if (proves(steps, found)) return mode;
    }
  }
  return AR_REQUANT_INTEGER;
}

static ar_requantize_mode plan_lane(ar_requantize_block *block, int lane, int32_t multiplier,
                                    int32_t shift, int32_t output_offset, int32_t activation_min,
                                    int32_t activation_max, ar_range range) {
  const ar_requantize_mode exact =
      ar_requantize_integer_plan(block->integers, lane, multiplier, shift, output_offset);
  if (multiplier == 0) { /* the output is its offset, whatever the input */
    block->scale[lane] = 0.0f;
    block->offset[lane] = block->negative_offset[lane] = (float)output_offset;
    return AR_REQUANT_FLOAT;
  }
  if (shift > -1 || shift < -31 || multiplier < 0) return exact;
  if (range.low <= INT32_MIN || range.high >= INT32_MAX) return exact;
  /* Accumulators of one sign are moved towards zero, where float32 holds them exactly. */
  const int32_t center =
      range.low >= 0 || range.high < 0 ? (int32_t)((range.low + range.high) / 2) : 0;
  ar_steps steps;
  ar_find_steps(&steps, multiplier, shift, output_offset, activation_min, activation_max, range,
                center);
  line found;
  const float nearest = (float)ldexp((double)multiplier, shift - 31);
  const ar_requantize_mode mode = find_line(&steps, nearest, &found);
  if (mode == AR_REQUANT_INTEGER) return exact;
  block->scale[lane] = found.scale;
  block->offset[lane] = found.offset;
  block->negative_offset[lane] = found.negative_offset;
  block->integers->center[lane] = center;
  block->bias[lane] = (int32_t)((uint32_t)block->bias[lane] - (uint32_t)center);
  return mode;
}
