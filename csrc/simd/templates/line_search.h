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

/* What steps allow to a line's offset, in double: an output y begins where the line reaches y. */
typedef struct {
  double low, high;
} offsets;

/* Of the steps whose accumulators lie in [least_from, least_to], which bound it from below, and
 * in [most_from, most_to], which bound it from above; all of them are in [begin, end). */
static inline offsets allowed(const ar_steps *steps, double scale, int begin, int end,
                              int32_t least_from, int32_t least_to, int32_t most_from,
                              int32_t most_to) {
  enum { LANES = AR_STEP_LANES };
  double low[LANES], high[LANES];
  for (int i = 0; i < LANES; ++i) {
    low[i] = -1e30;
    high[i] = 1e30;
  }
  for (int first = begin / LANES * LANES; first < end; first += LANES)
    for (int i = 0; i < LANES; ++i) {
      const int32_t on = steps->threshold[first + i], output = steps->output[first + i];
      const double least = output - scale * on;
      const double most = output - scale * ((double)on - 1);
      const int has_least = (on >= least_from) & (on <= least_to);
      const int has_most = (on >= most_from) & (on <= most_to);
      const double least_if = has_least ? least : -1e30, most_if = has_most ? most : 1e30;
      low[i] = least_if > low[i] ? least_if : low[i];
      high[i] = most_if < high[i] ? most_if : high[i];
    }
  offsets found = {low[0], high[0]};
  for (int i = 1; i < LANES; ++i) {
    found.low = fmax(found.low, low[i]);
    found.high = fmin(found.high, high[i]);
  }
  return found;
}

/* How many steps lie below an accumulator. */
static int steps_below(const ar_steps *steps, int32_t acc) {
  int count = 0;
  for (int i = 0; i < steps->count; ++i) count += steps->threshold[i] < acc;
  return count;
}

static double middle_of(offsets o) { return 0.5 * (o.low + o.high); }
static double width_of(offsets o) { return o.high - o.low; }

/* The middle of what all steps allow to a line's offset, and how wide that is: of what lines allow that
 * bend at zero, where one may. Returns INTEGER where nothing is left between steps; otherwise a candidate
 * that must still be proven. */
static ar_requantize_mode middle_line(const ar_steps *steps, double scale, double *offset,
                                      double *negative_offset, double *width) {
  const int32_t low = steps->low, high = steps->high;
  const offsets all = allowed(steps, scale, 0, steps->count, INT32_MIN, high, low + 1, INT32_MAX);
  *width = width_of(all);
  if (*width > 0.0) {
    *offset = *negative_offset = middle_of(all);
    return AR_REQUANT_FLOAT;
  }
  if (steps->one_sign) return AR_REQUANT_INTEGER;
  const int32_t most_from = low + 1 > 1 ? low + 1 : 1, least_to = high < -1 ? high : -1;
  const offsets from_zero =
      allowed(steps, scale, steps_below(steps, 0), steps->count, 0, high, most_from, INT32_MAX);
  const offsets below =
      allowed(steps, scale, 0, steps_below(steps, 1), INT32_MIN, least_to, low + 1, 0);
  *offset = middle_of(from_zero);
  *negative_offset = middle_of(below);
  *width = fmin(width_of(from_zero), width_of(below));
  return *width > 0.0 ? AR_REQUANT_SIGNED : AR_REQUANT_INTEGER;
}

/* Looks for a line near the one through the middle of all steps. What steps allow is, over the scale,
 * the least of what pairs of them do, each of which is a line: so it grows by less and less, at most
 * twice as much where floats come to a power of two. Scales further on are left out where that cannot
 * come to anything. */
static ar_requantize_mode find_line(const ar_steps *steps, float nearest, line *found) {
  enum { MOST = 24 };
  double before[2] = {0.0, 0.0}; /* of scales below, and above */
  int is_over[2] = {0, 0};
  for (int attempt = 0; attempt < MOST; ++attempt) {
    const int side = attempt % 2, left = (MOST - attempt) / 2;
    if (is_over[side]) continue;
    const float scale = neighbour(nearest, attempt);
    double offset, negative, width;
    const ar_requantize_mode mode = middle_line(steps, scale, &offset, &negative, &width);
    if (attempt == 0) before[0] = before[1] = width;
    is_over[side] = attempt && width + 2.0 * left * fmax(width - before[side], 0.0) <= 0.0;
    before[side] = width;
    if (mode == AR_REQUANT_INTEGER) continue;
    for (int nudge = 0; nudge < 3; ++nudge) {
      *found = (line){scale, neighbour((float)offset, nudge), neighbour((float)negative, nudge)};
      if (proves(steps, found)) return mode;
    }
  }
  return AR_REQUANT_INTEGER;
}

/* A channel's integers, and what its outputs are held within. */
typedef struct {
  int32_t multiplier, shift, output_offset, activation_min, activation_max;
} channel_integers;

/* A line for accumulators of a range, which are moved by -center. */
static ar_requantize_mode line_for(const channel_integers *c, ar_range range, line *found,
                                   int32_t *center) {
  /* Accumulators of one sign are moved towards zero, where float32 holds them exactly. */
  *center = range.low >= 0 || range.high < 0 ? (int32_t)((range.low + range.high) / 2) : 0;
  ar_steps steps;
  ar_find_steps(&steps, c->multiplier, c->shift, c->output_offset, c->activation_min,
                c->activation_max, range, *center);
  const float nearest = (float)ldexp((double)c->multiplier, ar_bare_shift(c->shift) - 31);
  return find_line(&steps, nearest, found);
}

static void remember(ar_known_line *known, const channel_integers *c, ar_range range,
                     ar_requantize_mode mode, const line *found, int32_t center) {
  *known = (ar_known_line){
      c->multiplier,          c->shift, 1, 0, range, center, found->scale, found->offset,
      found->negative_offset, mode};
}

/* The same, where one that is known for the channels before is tried first: layers that are quantised
 * as a whole have one line, and a few searches for hundreds of channels. One with two offsets is
 * taken where it costs nothing, since a channel of the block has such: its mode is `slowest`. */
static ar_requantize_mode known_line_for(ar_known_line *known, const channel_integers *c,
                                         ar_range range, int32_t slowest, line *found,
                                         int32_t *center) {
  const int is_same = ar_is_for(known, c->multiplier, c->shift);
  const int takes_two = slowest == AR_REQUANT_SIGNED;
  if (is_same && known->mode != AR_REQUANT_FLOAT && !takes_two)
    return line_for(c, range, found, center);
  if (is_same && ar_covers(known, range)) {
    *found = (line){known->scale, known->offset, known->negative_offset};
    *center = known->moved;
    return known->mode;
  }
  const ar_range all = ar_range_to_cover(known, c->multiplier, c->shift, range);
  const int is_wider = all.low != range.low || all.high != range.high;
  ar_requantize_mode mode = line_for(c, all, found, center);
  if (mode == AR_REQUANT_FLOAT || (mode == AR_REQUANT_SIGNED && (takes_two || !is_wider))) {
    const int gave_up = is_same && known->gave_up;
    if (known) remember(known, c, all, mode, found, *center), known->gave_up = gave_up;
    return mode;
  }
  if (!is_wider) return mode;
  mode = line_for(c, range, found, center);
  if (mode == AR_REQUANT_SIGNED) remember(known, c, range, mode, found, *center);
  else known->gave_up = 1;
  return mode;
}

/* Plans one lane of a block: multiplier, shift, and a line if one passes. Returns its mode. */
static ar_requantize_mode plan_by_line(ar_requantize_block *block, int lane,
                                       const ar_rescaling *rescaling, int32_t channel,
                                       int32_t output_offset, int32_t activation_min,
                                       int32_t activation_max, ar_range range) {
  const channel_integers c = {rescaling->multiplier.data[channel], rescaling->shift.data[channel],
                              output_offset, activation_min, activation_max};
  const ar_requantize_mode exact =
      ar_requantize_integer_plan(block->integers, lane, c.multiplier, c.shift, output_offset);
  if (c.multiplier == 0) { /* the output is its offset, whatever the input */
    block->scale[lane] = 0.0f;
    block->offset[lane] = block->negative_offset[lane] = (float)output_offset;
    return AR_REQUANT_FLOAT;
  }
  const int32_t bare = ar_bare_shift(c.shift);
  if (bare > -1 || bare < -31 || c.multiplier < 1 << 30) return exact;
  if (range.low <= INT32_MIN || range.high >= INT32_MAX) return exact;
  line found;
  int32_t center;
  const ar_requantize_mode mode =
      known_line_for(rescaling->line, &c, range, block->mode, &found, &center);
  if (mode == AR_REQUANT_INTEGER) return exact;
  block->scale[lane] = found.scale;
  block->offset[lane] = found.offset;
  block->negative_offset[lane] = found.negative_offset;
  block->integers->center[lane] = center;
  block->bias[lane] = (int32_t)((uint32_t)block->bias[lane] - (uint32_t)center);
  return mode;
}
