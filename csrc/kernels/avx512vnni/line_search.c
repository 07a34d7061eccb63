#include "line_search.h"

#include <math.h>

#include "requantize.h"

typedef struct {
  float scale, offset, negative_offset;
} line;

AR_INLINE __m512i on_line(__m512i acc, line l) {
  return ar_requantize_signed(acc, _mm512_set1_ps(l.scale), _mm512_set1_ps(l.offset),
                              _mm512_set1_ps(l.negative_offset));
}

/* A line is monotone on either side of zero, and so is the reference: they are equal on all
 * accumulators if they are on both sides of every step, and if no step that lies on one side
 * is taken on the other. */
static int proves(const ar_steps *steps, line l) {
  const __m512i low = _mm512_set1_epi32(steps->low), high = _mm512_set1_epi32(steps->high);
  const __m512i zero = _mm512_setzero_si512();
  const __m512i minus_one = _mm512_set1_epi32(-1);
  const __m512i at_zero = on_line(zero, l), at_minus_one = on_line(minus_one, l);
  const int both_signs = steps->low < 0 && steps->high >= 0;
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int i = 0; i < steps->count; i += 16) {
    int left = steps->count - i;
    __mmask16 valid = left >= 16 ? 0xFFFF : (__mmask16)((1u << left) - 1);
    __m512i on = _mm512_maskz_loadu_epi32(valid, steps->threshold + i);
    __m512i before = _mm512_add_epi32(on, minus_one);
    __m512i wanted = _mm512_add_epi32(_mm512_set1_epi32(steps->first + i), lane);
    __mmask16 reached = _mm512_mask_cmple_epi32_mask(valid, on, high);
    __mmask16 left_out = _mm512_mask_cmpge_epi32_mask(valid, before, low);
    __mmask16 bad = _mm512_mask_cmplt_epi32_mask(reached, on_line(on, l), wanted);
    bad |= _mm512_mask_cmpge_epi32_mask(left_out, on_line(before, l), wanted);
    if (!both_signs) {
      if (bad) return 0;
      continue;
    }
    __mmask16 positive = _mm512_mask_cmpgt_epi32_mask(valid, on, zero);
    bad |= _mm512_mask_cmpge_epi32_mask(positive, at_minus_one, wanted);
    bad |= _mm512_mask_cmplt_epi32_mask(valid & ~positive, at_zero, wanted);
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

/* Looks for a line near the one through the middle of all steps. */
static ar_requantize_mode find_line(const ar_steps *steps, float nearest, line *found) {
  for (int attempt = 0; attempt < 24; ++attempt) {
    const float scale = neighbour(nearest, attempt);
    double offset, negative;
    const int mode = ar_requantize_line(steps, scale, 0.0, &offset, &negative);
    if (mode == AR_REQUANT_INTEGER) continue;
    for (int nudge = 0; nudge < 3; ++nudge) {
      *found = (line){scale, neighbour((float)offset, nudge), neighbour((float)negative, nudge)};
      if (proves(steps, *found)) return (ar_requantize_mode)mode;
    }
  }
  return AR_REQUANT_INTEGER;
}

ar_requantize_mode ar_plan_lane_avx512vnni(ar_requantize_block *block, int lane,
                                           int32_t multiplier, int32_t shift,
                                           int32_t output_offset, int32_t activation_min,
                                           int32_t activation_max, ar_range range) {
  const ar_requantize_mode exact =
      ar_requantize_integer_plan(block, lane, multiplier, shift, output_offset);
  if (multiplier == 0) { /* the output is its offset, whatever the input */
    block->scale[lane] = 0.0f;
    block->offset[lane] = block->negative_offset[lane] = (float)output_offset;
    return AR_REQUANT_FLOAT;
  }
  if (shift > -1 || shift < -31 || multiplier < 0) return exact;
  if (range.low <= INT32_MIN || range.high >= INT32_MAX) return exact;
  ar_steps steps;
  ar_requantize_steps(&steps, multiplier, shift, output_offset, activation_min, activation_max,
                      range);
  /* Accumulators of one sign are moved towards zero, where float32 holds them exactly. */
  const int32_t center =
      range.low >= 0 || range.high < 0 ? (int32_t)((range.low + range.high) / 2) : 0;
  ar_requantize_move(&steps, center);
  line found;
  const float nearest = (float)ldexp((double)multiplier, shift - 31);
  const ar_requantize_mode mode = find_line(&steps, nearest, &found);
  if (mode == AR_REQUANT_INTEGER) return exact;
  block->scale[lane] = found.scale;
  block->offset[lane] = found.offset;
  block->negative_offset[lane] = found.negative_offset;
  block->center[lane] = center;
  block->bias[lane] = (int32_t)((uint32_t)block->bias[lane] - (uint32_t)center);
  return mode;
}
