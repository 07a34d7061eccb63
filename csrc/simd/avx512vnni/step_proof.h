/* Which lines meet a channel's outputs on all sums of a range, from what divisions leave over.
 *
 * Before it is moved by the output's zero point and held within the activation's bounds, the output of
 * a sum is (sum * multiplier + constant) >> places: two roundings have one constant for sums from 0 on,
 * where outputs from 1 on begin, and one for those below. Output k begins at the sum
 *
 *     begin(k) = ceil((k * 2^places - constant) / multiplier)
 *              = (k * 2^places - constant + slack(k)) / multiplier,
 *
 * where slack(k) is (constant - k * 2^places) modulo the multiplier. A line floor(scale * sum + offset)
 * meets all outputs if scale * begin(k) + offset >= k and scale * (begin(k) - 1) + offset < k, so the
 * offset has to lie between the largest k - scale * begin(k) and the smallest one plus the scale. With
 * drift = multiplier / scale - 2^places, which is small,
 *
 *     k - scale * begin(k) = scale / multiplier * (constant - (slack(k) - k * drift)),
 *
 * so the least and the most of slack(k) - k * drift are all that has to be known. The slack of
 * one k is that of the one before, less the rest of 2^places, modulo the multiplier. */
#pragma once

#include "arithmetic/fixedpoint.h"
#include "arithmetic/requantize_plan.h"

typedef struct {
  int64_t multiplier, rest; /* of 2^places divided by the multiplier */
  int32_t places;
  int64_t up, down;   /* the constants of sums from 0 on, and of those below */
  int32_t begin, end; /* outputs that begin behind the range's lower end, up to its upper one */
  int32_t output_offset;
  double from_low, to_high; /* outputs that the ends reach, and do not reach; or beyond all */
  double low, high;         /* the range's ends */
  __m512i lanes;            /* what 0 to 7 rests come to, modulo the multiplier */
} stairs;

enum { STAIR_LANES = 8 };

/* a - b modulo what both are below. */
static inline __m512i minus(__m512i a, __m512i b, __m512i modulus) {
  const __m512i difference = _mm512_sub_epi64(a, b);
  return _mm512_min_epu64(difference, _mm512_add_epi64(difference, modulus));
}

/* 0 to 7 times a number below 2^31. */
static inline __m512i multiples(int64_t number) {
  return _mm512_mul_epi32(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(number));
}

/* 0 to 7 times rest, modulo what it is below, which is 2^30 to 2^31: quotients are rounded down, from
 * a little less than they are. */
static inline __m512i multiples_modulo(int64_t rest, int64_t modulus) {
  const __m512d lane = _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7);
  const double ratio = (double)rest / (double)modulus * (1.0 - 0x1p-50);
  const __m512i quotient = _mm512_cvttpd_epi64(_mm512_mul_pd(lane, _mm512_set1_pd(ratio)));
  const __m512i all = _mm512_set1_epi64(modulus);
  const __m512i left = _mm512_sub_epi64(multiples(rest), _mm512_mul_epi32(quotient, all));
  return _mm512_min_epu64(left, _mm512_sub_epi64(left, all));
}

static inline int32_t output_of(const stairs *s, int64_t sum) {
  return (int32_t)((sum * s->multiplier + (sum < 0 ? s->down : s->up)) >> s->places);
}

/* What outputs are made with: multipliers from 2^30 on, shifts of -31 to -1. */
static inline void begin_stairs(stairs *s, const channel_integers *c) {
  s->multiplier = c->multiplier;
  s->places = 31 - ar_bare_shift(c->shift);
  s->up = s->down = INT64_C(1) << (s->places - 1);
  s->output_offset = c->output_offset;
  if (ar_rounds_once(c->shift)) return;
  s->up += INT64_C(1) << 30;
  s->down -= INT64_C(1) << 30;
}

/* Whether all sums of a range have one output, and which. */
static inline int are_level(const channel_integers *c, ar_range range, int32_t *output) {
  stairs s;
  begin_stairs(&s, c);
  const int32_t least = c->activation_min, most = c->activation_max;
  *output = ar_clamp_offset(output_of(&s, range.low), c->output_offset, least, most);
  return *output == ar_clamp_offset(output_of(&s, range.high), c->output_offset, least, most);
}

/* For a range within 2^23. */
static inline void find_stairs(stairs *s, const channel_integers *c, ar_range range) {
  begin_stairs(s, c);
  s->rest = (INT64_C(1) << s->places) % s->multiplier;
  s->lanes = multiples_modulo(s->rest, s->multiplier);
  s->low = (double)range.low;
  s->high = (double)range.high;
  const int32_t first = c->activation_min + 1 - c->output_offset;
  const int32_t last = c->activation_max - c->output_offset;
  const int32_t at_low = output_of(s, range.low), at_high = output_of(s, range.high);
  s->begin = at_low + 1 > first ? at_low + 1 : first;
  s->end = (at_high < last ? at_high : last) + 1;
  s->from_low = at_low < first ? -1e9 : at_low < last ? at_low : last;
  s->to_high = at_high >= last ? 1e9 : at_high + 1 > first ? at_high + 1 : first;
}

/* The least and the most, in lanes, of slack(k) - k * drift, and of as much more as the constant is less
 * than that of sums from 0 on. */
typedef struct {
  __m512i least, most;
} extremes;

static inline extremes widened(extremes e, __m512i by, __mmask8 there) {
  return (extremes){_mm512_mask_min_epi64(e.least, there, e.least, by),
                    _mm512_mask_max_epi64(e.most, there, e.most, by)};
}

/* The same for k in [begin, end) as well. */
static inline extremes extremes_on(extremes e, const stairs *s, int64_t constant, int64_t drift,
                                   int32_t begin, int32_t end) {
  if (begin >= end) return e;
  const int64_t first = (constant - begin * s->rest) % s->multiplier;
  const __m512i modulus = _mm512_set1_epi64(s->multiplier);
  const __m512i group = _mm512_set1_epi64(STAIR_LANES * s->rest % s->multiplier);
  const __m512i step = _mm512_set1_epi64(STAIR_LANES * drift);
  const __m512i start = _mm512_set1_epi64(first < 0 ? first + s->multiplier : first);
  const __m512i all = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  __m512i slack = minus(start, s->lanes, modulus);
  __m512i off = _mm512_add_epi64(_mm512_mullo_epi64(all, _mm512_set1_epi64(drift)),
                                 _mm512_set1_epi64(begin * drift + constant - s->up));
  for (; end - begin >= STAIR_LANES; begin += STAIR_LANES) {
    e = widened(e, _mm512_sub_epi64(slack, off), 0xFF);
    slack = minus(slack, group, modulus);
    off = _mm512_add_epi64(off, step);
  }
  return widened(e, _mm512_sub_epi64(slack, off), (__mmask8)((1 << (end - begin)) - 1));
}

/* The offsets of lines of a scale that meet all outputs; none where `low` is not below `high`. Doubles
 * round them by much less than MARGIN, which they are narrowed by. */
static inline offsets offsets_on(const stairs *s, double scale) {
  static const double MARGIN = 0x1p-40;
  const double drift = (double)s->multiplier / scale - ldexp(1.0, s->places);
  const int64_t whole = llrint(drift);
  const double rounded = fabs(drift - (double)whole) * fmax(abs(s->begin), abs(s->end));
  offsets all = {s->from_low - scale * s->low, s->to_high - scale * s->high};
  if (s->begin < s->end) {
    extremes e = {_mm512_set1_epi64(INT64_MAX), _mm512_set1_epi64(INT64_MIN)};
    e = extremes_on(e, s, s->up, whole, s->begin > 1 ? s->begin : 1, s->end);
    e = extremes_on(e, s, s->down, whole, s->begin, s->end < 1 ? s->end : 1);
    const double unit = scale / (double)s->multiplier;
    const int64_t from = s->up - _mm512_reduce_min_epi64(e.least);
    const int64_t to = s->up - _mm512_reduce_max_epi64(e.most);
    all.low = fmax(all.low, unit * ((double)from + rounded));
    all.high = fmin(all.high, unit * ((double)to - rounded) + scale);
  }
  return (offsets){all.low + s->output_offset + MARGIN, all.high + s->output_offset - MARGIN};
}
