/* 3x3 filters with stride and dilation 1 over 8 channels: 8 columns lie side by side in a register, two
 * rows of output at a time. What four rows hold of them is interleaved there, in units of which two by
 * two are the same channels, and moved by a column or two for the other taps. */
#include "depthwise_rows.h"

enum { SIDE_CHANNELS = 8, SIDE_UNITS = 2 /* that differ */ };

static int lies_side_by_side(const ar_depthwise *plan) {
  return plan->filter_rows == 3 && plan->filter_columns == 3 && plan->stride_rows == 1 &&
         plan->stride_columns == 1 && plan->dilation_rows == 1 && plan->dilation_columns == 1 &&
         plan->channels == SIDE_CHANNELS;
}

/* 64 bytes of four rows in four units: a dword is a channel's bytes in those rows. */
AR_INLINE void side_interleave(const some_rows *r, int32_t at, __m512i units[4]) {
  const int inside = at >= r->begin && at + 64 <= r->end;
  __m512i v[4];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i)
    v[i] = _mm512_xor_si512(inside ? _mm512_loadu_si512(r->rows[i] + at) : load_some(r, i, at),
                            _mm512_set1_epi8(-128));
  const __m512i ab_low = _mm512_unpacklo_epi8(v[0], v[1]);
  const __m512i ab_high = _mm512_unpackhi_epi8(v[0], v[1]);
  const __m512i cd_low = _mm512_unpacklo_epi8(v[2], v[3]);
  const __m512i cd_high = _mm512_unpackhi_epi8(v[2], v[3]);
  units[0] = _mm512_unpacklo_epi16(ab_low, cd_low);
  units[1] = _mm512_unpackhi_epi16(ab_low, cd_low);
  units[2] = _mm512_unpacklo_epi16(ab_high, cd_high);
  units[3] = _mm512_unpackhi_epi16(ab_high, cd_high);
}

/* Unit u of four, each four bytes of every 16, `tap` columns further on. */
AR_INLINE __m512i side_seen(const int tap, const int u, const __m512i now[4],
                            const __m512i next[4]) {
  const int units = SIDE_UNITS * tap + u, unit = units % 4;
  return units < 4 ? now[unit] : _mm512_alignr_epi32(next[unit], now[unit], 4);
}

/* Weights of both rows: the lower one's lie a byte further on. And how sums begin. */
typedef struct {
  __m512i upper[SIDE_UNITS][3], lower[SIDE_UNITS][3], bias[SIDE_UNITS];
} side_weights;

/* Two rows of outputs. */
AR_INLINE void side_pair(const int mode, const ar_depthwise *plan, const some_rows *r,
                         const side_weights *w, const ar_requantize_block *blocks, int8_t *upper,
                         int8_t *lower) {
  const ar_bounds to = bounds_of(plan);
  __m512i now[4], next[4], sums[2][4];
  int32_t at = -plan->staging.left_bytes;
  side_interleave(r, at, now);
  for (int32_t left = plan->output_columns * SIDE_CHANNELS; left > 0;
       left -= 64, upper += 64, lower += 64) {
    at += 64;
    side_interleave(r, at, next);
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) {
      const int same = u % SIDE_UNITS;
      sums[0][u] = sums[1][u] = w->bias[same];
#pragma clang loop unroll(full)
      for (int tap = 0; tap < 3; ++tap) {
        const __m512i seen = side_seen(tap, u, now, next);
        sums[0][u] = _mm512_dpbusd_epi32(sums[0][u], seen, w->upper[same][tap]);
        sums[1][u] = _mm512_dpbusd_epi32(sums[1][u], seen, w->lower[same][tap]);
      }
      sums[0][u] = requantize(mode, sums[0][u], &blocks[same]);
      sums[1][u] = requantize(mode, sums[1][u], &blocks[same]);
    }
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) now[u] = next[u];
    store_first(lower, left, ar_pack_dealt(sums[1], to));
    store_first(upper, left, ar_pack_dealt(sums[0], to));
  }
}

AR_INLINE void side_rows(const int mode, const ar_depthwise *plan, const image *input,
                         const int8_t *weights, const ar_requantize_block *blocks, int8_t *output,
                         int8_t *unwanted) {
  side_weights w;
#pragma clang loop unroll(full)
  for (int i = 0; i < 3 * SIDE_UNITS; ++i) {
    w.upper[i / 3][i % 3] = _mm512_load_si512(weights + 64 * i);
    w.lower[i / 3][i % 3] = _mm512_slli_epi32(w.upper[i / 3][i % 3], 8);
  }
  for (int u = 0; u < SIDE_UNITS; ++u) w.bias[u] = _mm512_load_si512(blocks[u].bias);
  const int64_t row = (int64_t)plan->output_columns * SIDE_CHANNELS;
  for (int32_t y = 0; y < plan->output_rows; y += 2, output += 2 * row) {
    const some_rows r = rows_from(plan, input, y, 0);
    /* Below a last odd row there is none. */
    int8_t *lower = y + 1 == plan->output_rows ? unwanted : output + row;
    side_pair(mode, plan, &r, &w, blocks, output, lower);
  }
}

#define SIDE(NAME, MODE)                                                                  \
  static void NAME(const ar_depthwise *plan, const image *input, const int8_t *weights,   \
                   const ar_requantize_block *blocks, int8_t *output, int8_t *unwanted) { \
    side_rows(MODE, plan, input, weights, blocks, output, unwanted);                      \
  }
SIDE(side_0, AR_REQUANT_FLOAT)
SIDE(side_1, AR_REQUANT_SIGNED)
SIDE(exact_side, AR_REQUANT_INTEGER)
SIDE(side_5, AR_REQUANT_BARE)
typedef void (*side_fn)(const ar_depthwise *, const image *, const int8_t *,
                        const ar_requantize_block *, int8_t *, int8_t *);
static const side_fn side_variants[] = {side_0, side_1, exact_side, exact_side, exact_side, side_5};

static void side_image(const ar_depthwise *plan, const image *input, const int8_t *weights,
                       const ar_requantize_block *blocks, int8_t *output, int8_t *unwanted) {
  side_variants[slowest_mode(blocks)](plan, input, weights, blocks, output, unwanted);
}
