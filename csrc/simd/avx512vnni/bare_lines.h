/* Lines on sums that are floats already. Include lanes.h and simd/templates/line_search.h before.
 *
 * In [2^23, 2^24) a float32 counts in ones, so its bits are 0x4B000000 and an integer. A sum that
 * starts from such bits is a float without being converted, and where a line ends among such
 * numbers, rounding down leaves the output in the low bits of the result. One fused
 * multiply-add is then all, and exact: the floor of scale * (sum + shift) - whole. As the line's
 * end is an integer, its offset has to come from the shift of the sum: of the many that the
 * range of the sums leaves room for, one lands where the steps want it. */
#include "arithmetic/requantize_plan.h"
#include "step_proof.h"

static const int32_t AR_BARE_MIDDLE = 3 << 22; /* of those floats */

/* The first of some turns after which a place is an integer but for `most`, or -1. */
static double first_turn_to(double place, double turn, double most) {
  enum { LANES = 8, SOME = 512 };
  const __m512d lane = _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7);
  __m512d at = _mm512_fmadd_pd(lane, _mm512_set1_pd(turn), _mm512_set1_pd(place));
  for (int i = 0; i < SOME; i += LANES) {
    const __m512d off = _mm512_sub_pd(at, _mm512_roundscale_pd(at, _MM_FROUND_TO_NEAREST_INT));
    const __mmask8 near = _mm512_cmp_pd_mask(_mm512_abs_pd(off), _mm512_set1_pd(most), _CMP_LE_OQ);
    if (near) return i + __builtin_ctz(near);
    at = _mm512_add_pd(at, _mm512_set1_pd(LANES * turn));
  }
  return -1.0;
}

/* A number of turns after which it is that: the first one, or by Euclid's steps: always two small ways
 * to go, upwards and downwards, of which the longer one is shortened by the other where both lead too
 * far. Gives up after some. */
static double turns_to(double place, double turn, double most) {
  double turns = first_turn_to(place, turn, most);
  if (turns >= 0.0) return turns;
  double off = place - floor(place + 0.5), up = turn - floor(turn), down = 1.0 - up;
  double turns_up = 1.0, turns_down = 1.0;
  turns = 0.0;
  for (int i = 0; i < 64 && fabs(off) > most && up > 0.0 && down > 0.0; ++i) {
    const double times = floor((fabs(off) + most) / (off < 0.0 ? up : down));
    turns += times * (off < 0.0 ? turns_up : turns_down);
    off += off < 0.0 ? times * up : -times * down;
    if (times > 0.0) continue;
    const double longer = up > down ? up : down, shorter = up > down ? down : up;
    const double cuts = ceil(longer / shorter) - 1.0;
    if (up > down) up -= cuts * down, turns_up += cuts * turns_down;
    else down -= cuts * up, turns_down += cuts * turns_up;
    if (cuts < 1.0) break;
  }
  return turns;
}

/* A line for one output, whatever the sum of this range: all that it needs is that sums are
 * floats. */
static int level_line(int32_t output, ar_range range, ar_known_line *found) {
  found->scale = 0.0f;
  found->offset = (float)(AR_BARE_MIDDLE + output);
  found->moved = (int32_t)(-(range.low + range.high) / 2);
  return range.high - range.low < 1 << 24;
}

/* Finds a bare line of this scale, with one of these offsets, that meets the reference on all sums of a
 * range: whether there is one. Sums and outputs stay where floats count in ones, so what the instruction computes is
 * floor(scale * sum + offset) without an error. */
static int find_bare_line(offsets all, ar_range range, float scale, ar_known_line *found) {
  if (!(all.low < all.high) || all.high - all.low > 1e6) return 0;
  const double middle = middle_of(all), slack = 0.45 * (all.high - all.low);
  if (scale * (double)range.low + all.low < -32000 || scale * (double)range.high + all.high > 32000)
    return 0; /* two bytes hold what is left after the line */
  const int64_t least = -(INT64_C(1) << 22) - range.low;
  const int64_t most = (INT64_C(1) << 22) - 1 - range.high;
  if (least > most) return 0;
  const double first = floor(scale * (double)(AR_BARE_MIDDLE + (least + most) / 2) - middle);
  const double turns = turns_to((middle + first) / scale, 1.0 / scale, slack / scale);
  const double whole = first + turns;
  const double wanted = floor((middle + whole) / scale + 0.5) - AR_BARE_MIDDLE;
  if (!(wanted >= (double)least && wanted <= (double)most)) return 0;
  /* Exact: the product has 48 bits, and the difference is small. */
  const double offset = (double)scale * (AR_BARE_MIDDLE + wanted) - whole;
  if (!(offset >= all.low && offset <= all.high) || fabs(whole) > AR_BARE_MIDDLE) return 0;
  found->scale = scale;
  found->offset = (float)(AR_BARE_MIDDLE - whole);
  found->moved = (int32_t)wanted;
  return 1;
}

/* The same of the scales above one, or below it, for which offsets are `width` wide. That width is the
 * least of what pairs of outputs leave, each of which is a line over the scale: so it grows by less and
 * less, at most twice as much where floats come to a power of two. It ends where it cannot come to
 * anything. */
static int bare_line_beyond(const stairs *s, ar_range range, float scale, double width,
                            float towards, ar_known_line *found) {
  for (int left = 12; left > 0; --left) {
    scale = nextafterf(scale, towards);
    const offsets all = offsets_on(s, scale);
    if (find_bare_line(all, range, scale, found)) return 1;
    const double before = width;
    width = all.high - all.low;
    if (width <= 0.0 && width + 2.0 * left * (width - before) <= 0.0) return 0;
  }
  return 0;
}

/* The same, of any scale. */
static int bare_line_for(const channel_integers *c, ar_range range, ar_known_line *found) {
  *found =
      (ar_known_line){.multiplier = c->multiplier, .shift = c->shift, .known = 1, .range = range};
  stairs s;
  int32_t output;
  if (are_level(c, range, &output)) return level_line(output, range, found);
  if (range.low <= -(1 << 23) || range.high >= 1 << 23) return 0;
  find_stairs(&s, c, range);
  const float nearest = (float)ldexp((double)c->multiplier, ar_bare_shift(c->shift) - 31);
  const offsets all = offsets_on(&s, nearest);
  const double width = all.high - all.low;
  return find_bare_line(all, range, nearest, found) ||
         bare_line_beyond(&s, range, nearest, width, INFINITY, found) ||
         bare_line_beyond(&s, range, nearest, width, -INFINITY, found);
}

/* The same, where one that is known for the channels before is tried first. */
static int known_bare_line_for(ar_known_line *known, const channel_integers *c, ar_range range,
                               ar_known_line *found) {
  const int is_same = ar_is_for(known, c->multiplier, c->shift);
  if (is_same && ar_covers(known, range)) {
    *found = *known;
    return 1;
  }
  const ar_range all = ar_range_to_cover(known, c->multiplier, c->shift, range);
  if (bare_line_for(c, all, found)) {
    found->gave_up = is_same && known->gave_up;
    if (known) *known = *found;
    return 1;
  }
  if (all.low == range.low && all.high == range.high) return 0;
  known->gave_up = 1;
  return bare_line_for(c, range, found);
}

/* Plans one lane of a block whose lanes are all to be bare. */
static ar_requantize_mode plan_bare(ar_requantize_block *block, int lane,
                                    const ar_rescaling *rescaling, int32_t channel,
                                    int32_t output_offset, int32_t activation_min,
                                    int32_t activation_max, ar_range range) {
  const channel_integers c = {rescaling->multiplier.data[channel], rescaling->shift.data[channel],
                              output_offset, activation_min, activation_max};
  const int32_t bare = ar_bare_shift(c.shift);
  const int is_level = c.multiplier == 0; /* the output is its offset */
  if (!is_level && (bare > -1 || bare < -31 || c.multiplier < 1 << 30)) return AR_REQUANT_SLOW;
  if (range.low <= INT32_MIN || range.high >= INT32_MAX) return AR_REQUANT_SLOW;
  if (activation_min >= activation_max) return AR_REQUANT_SLOW;
  ar_known_line found;
  if (!(is_level ? level_line(output_offset, range, &found)
                 : known_bare_line_for(rescaling->bare, &c, range, &found)))
    return AR_REQUANT_SLOW;
  block->scale[lane] = found.scale;
  block->offset[lane] = found.offset;
  block->bias[lane] = (int32_t)((uint32_t)block->bias[lane] + (uint32_t)found.moved + AR_BARE_BITS);
  return AR_REQUANT_BARE;
}
