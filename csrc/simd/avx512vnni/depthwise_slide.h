/* 3x3 filters with stride and dilation 1: two rows of output at a time share what is loaded. */
#include "depthwise_rows.h"

enum { SLIDE_UNITS = 6 }; /* whose sums, weights and taps fit in the registers */

/* Unit `lane` of four. */
AR_INLINE void store_unit(const int lane, int8_t *out, __m512i packed) {
  const __m128i unit = lane == 0   ? _mm512_castsi512_si128(packed)
                       : lane == 1 ? _mm512_extracti32x4_epi32(packed, 1)
                       : lane == 2 ? _mm512_extracti32x4_epi32(packed, 2)
                                   : _mm512_extracti32x4_epi32(packed, 3);
  _mm_storeu_si128((__m128i *)out, unit);
}

/* Units of both rows, `step` bytes apart, packed in fours. */
AR_INLINE void store_units(const int UNITS, const ar_bounds to, const __m512i acc[2][SLIDE_UNITS],
                           int64_t step, int8_t *upper, int8_t *lower) {
#pragma clang loop unroll(full)
  for (int x = 0; x < UNITS; x += 2) {
    const __m512i four[4] = {acc[0][x], acc[1][x], acc[0][x + 1], acc[1][x + 1]};
    const __m512i packed = ar_pack_four(four, to);
#pragma clang loop unroll(full)
    for (int i = 0; i < 4 && x + i / 2 < UNITS; ++i)
      store_unit(i, (i % 2 ? lower : upper) + (x + i / 2) * step, packed);
  }
}

/* Two output rows and up to SLIDE_UNITS units of them, for 3x3 filters with stride and dilation 1:
 * each interleaved vector is loaded once and serves six products. `w` holds the taps of rows
 * 0..2 for the upper output row; shifted by a byte they serve the lower one. A unit is 16
 * channels of one column. */
AR_INLINE void slide_block(const int UNITS, const int mode, const ar_depthwise *plan,
                           const uint32_t *row, const __m512i *w, const ar_requantize_block *block,
                           int8_t *upper, int8_t *lower) {
  const int32_t channels = plan->channels;
  const __m512i bias = _mm512_load_si512(block->bias);
  __m512i acc[2][SLIDE_UNITS];
#pragma clang loop unroll(full)
  for (int x = 0; x < SLIDE_UNITS; ++x) acc[0][x] = acc[1][x] = bias;
#pragma clang loop unroll(full)
  for (int c = 0; c < UNITS + 2; ++c) {
    __m512i taps = _mm512_loadu_si512(row + c * channels);
#pragma clang loop unroll(full)
    for (int k = 0; k < 3; ++k) {
      const int x = c - k;
      if (x < 0 || x >= UNITS) continue;
      acc[0][x] = _mm512_dpbusd_epi32(acc[0][x], taps, w[k]);
      acc[1][x] = _mm512_dpbusd_epi32(acc[1][x], taps, w[3 + k]);
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 2 * UNITS; ++i)
    acc[i % 2][i / 2] = requantize(mode, acc[i % 2][i / 2], block);
  ar_bounds to = bounds_of(plan);
  if (to.clamps) {
    to.clamps = 1;
    store_units(UNITS, to, acc, channels, upper, lower);
    return;
  }
  to.clamps = 0;
  store_units(UNITS, to, acc, channels, upper, lower);
}

/* A row in parts of about the same size: the first `larger` have a unit more than `size`. */
typedef struct {
  int32_t count, size, larger;
} row_parts;

static row_parts parts_of(int32_t units) {
  const int32_t count = (units + SLIDE_UNITS - 1) / SLIDE_UNITS;
  return (row_parts){count, units / count, units % count};
}

AR_INLINE void slide_rows(const int mode, const ar_depthwise *plan, row_parts parts,
                          const uint32_t *row, const int8_t *weights,
                          const ar_requantize_block *block, int8_t *upper, int8_t *lower) {
  const int32_t step = plan->channels;
  __m512i w[6];
#pragma clang loop unroll(full)
  for (int k = 0; k < 3; ++k) {
    w[k] = _mm512_load_si512(weights + 64 * k);
    w[3 + k] = _mm512_slli_epi32(w[k], 8);
  }
#define SLIDE(UNITS) \
  case UNITS: slide_block(UNITS, mode, plan, row, w, block, upper, lower); break;
  for (int32_t i = 0; i < parts.count; ++i) {
    const int32_t units = parts.size + (i < parts.larger);
    switch (units) { SLIDE(1) SLIDE(2) SLIDE(3) SLIDE(4) SLIDE(5) SLIDE(6) }
    row += units * step;
    upper += units * step;
    lower += units * step;
  }
#undef SLIDE
}

static int slides(const ar_depthwise *plan) {
  return plan->filter_rows == 3 && plan->filter_columns == 3 && plan->stride_rows == 1 &&
         plan->stride_columns == 1 && plan->dilation_rows == 1 && plan->dilation_columns == 1 &&
         plan->channels % 16 == 0;
}

typedef void (*slide_fn)(const ar_depthwise *, row_parts, const uint32_t *, const int8_t *,
                         const ar_requantize_block *, int8_t *, int8_t *);
#define SLIDE_VARIANT(NAME, MODE)                                                          \
  static void NAME(const ar_depthwise *plan, row_parts parts, const uint32_t *row,         \
                   const int8_t *weights, const ar_requantize_block *block, int8_t *upper, \
                   int8_t *lower) {                                                        \
    slide_rows(MODE, plan, parts, row, weights, block, upper, lower);                      \
  }
SLIDE_VARIANT(slide_0, AR_REQUANT_FLOAT)
SLIDE_VARIANT(slide_1, AR_REQUANT_SIGNED)
SLIDE_VARIANT(exact_slide, AR_REQUANT_INTEGER)
SLIDE_VARIANT(slide_5, AR_REQUANT_BARE)
static const slide_fn slide_variants[6] = {slide_0,     slide_1,     exact_slide,
                                           exact_slide, exact_slide, slide_5};

static void slide(const ar_depthwise *plan, const image *input, const int8_t *weights,
                  const ar_requantize_block *blocks, int8_t *output, uint32_t *row) {
  const int64_t output_row = (int64_t)plan->output_columns * plan->channels;
  const row_parts parts = parts_of(plan->output_columns);
  for (int32_t y = 0; y < plan->output_rows; y += 2) {
    int8_t *upper = output + y * output_row;
    /* Below a last odd row there is none: what is computed for it goes to the workspace. */
    int odd = y + 1 == plan->output_rows;
    int8_t *lower = odd ? (int8_t *)(row + row_dwords(plan)) : upper + output_row;
    interleave(plan, row, row_of(plan, input, y), row_of(plan, input, y + 1),
               row_of(plan, input, y + 2), row_of(plan, input, y + 3));
    for (int32_t c = 0; c < plan->channels; c += 16) {
      const ar_requantize_block *block = &blocks[c / 16];
      const int8_t *w = weights + (int64_t)64 * 3 * (c / 16);
      slide_variants[block->mode](plan, parts, row + c, w, block, upper + c, lower + c);
    }
  }
}
