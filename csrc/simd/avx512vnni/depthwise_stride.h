/* 3x3 filters that go on by two columns: even columns lie side by side in a register, and so do odd
 * ones. What three rows hold of them is interleaved there, serves the outputs that meet it, and never
 * goes to memory. */
#include "depthwise_rows.h"

/* Columns of 16 or 32 channels that fill a register; of more channels, 64 are done at a time. */
static int32_t columns_at_once(const ar_depthwise *plan) {
  return plan->channels < 64 ? 64 / plan->channels : 1;
}

static int strides(const ar_depthwise *plan) {
  const int32_t c = plan->channels;
  return plan->filter_rows == 3 && plan->filter_columns == 3 && plan->stride_columns == 2 &&
         plan->dilation_rows == 1 && plan->dilation_columns == 1 &&
         (c == 16 || c == 32 || c % 64 == 0);
}

/* Columns of three rows in four units: a dword is a channel's bytes in the three rows, and one more
 * that meets a weight of zero. */
AR_INLINE void stride_interleave(const __m512i rows[3], __m512i units[4]) {
  const __m512i flip = _mm512_set1_epi8(-128);
  const __m512i a = _mm512_xor_si512(rows[0], flip), b = _mm512_xor_si512(rows[1], flip);
  const __m512i c = _mm512_xor_si512(rows[2], flip);
  const __m512i ab_low = _mm512_unpacklo_epi8(a, b), ab_high = _mm512_unpackhi_epi8(a, b);
  const __m512i c_low = _mm512_unpacklo_epi8(c, c), c_high = _mm512_unpackhi_epi8(c, c);
  units[0] = _mm512_unpacklo_epi16(ab_low, c_low);
  units[1] = _mm512_unpackhi_epi16(ab_low, c_low);
  units[2] = _mm512_unpacklo_epi16(ab_high, c_high);
  units[3] = _mm512_unpackhi_epi16(ab_high, c_high);
}

/* Twice COLUMNS, `step` bytes in all: even ones and odd ones. */
AR_INLINE void stride_columns(const int COLUMNS, const some_rows *r, int32_t at, int32_t step,
                              __m512i even[4], __m512i odd[4]) {
  const int32_t half = at + step / 2;
  const int inside = at >= r->begin && half + 64 <= r->end;
  __m512i evens[3], odds[3];
#pragma clang loop unroll(full)
  for (int i = 0; i < 3; ++i) {
    const int8_t *row = r->rows[i];
    const __m512i a = inside ? _mm512_loadu_si512(row + at) : load_some(r, i, at);
    const __m512i b = inside ? _mm512_loadu_si512(row + half) : load_some(r, i, half);
    evens[i] = COLUMNS == 1   ? a
               : COLUMNS == 2 ? _mm512_shuffle_i32x4(a, b, 0x44)
                              : _mm512_shuffle_i32x4(a, b, 0x88);
    odds[i] = COLUMNS == 1   ? b
              : COLUMNS == 2 ? _mm512_shuffle_i32x4(a, b, 0xEE)
                             : _mm512_shuffle_i32x4(a, b, 0xDD);
  }
  stride_interleave(evens, even);
  stride_interleave(odds, odd);
}

/* The even columns behind the first. */
AR_INLINE __m512i stride_third(const int COLUMNS, __m512i even, __m512i next) {
  return COLUMNS == 1   ? next
         : COLUMNS == 2 ? _mm512_alignr_epi32(next, even, 8)
                        : _mm512_alignr_epi32(next, even, 4);
}

/* A row of outputs, COLUMNS at a time, each with 64 bytes of channels. */
AR_INLINE void stride_row(const int COLUMNS, const int mode, const ar_depthwise *plan,
                          const some_rows *r, const __m512i w[4][3],
                          const ar_requantize_block *blocks, int8_t *output) {
  const ar_bounds to = bounds_of(plan);
  const int32_t channels = plan->channels, step = 2 * COLUMNS * channels;
  __m512i even[4], odd[4], next[4], behind[4], sums[4];
  int32_t at = -plan->staging.left_bytes;
  stride_columns(COLUMNS, r, at, step, even, odd);
  for (int32_t left = plan->output_columns; left > 0; left -= COLUMNS, output += step / 2) {
    at += step;
    stride_columns(COLUMNS, r, at, step, next, behind);
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) {
      __m512i sum = _mm512_load_si512(blocks[u].bias);
      sum = _mm512_dpbusd_epi32(sum, even[u], w[u][0]);
      sum = _mm512_dpbusd_epi32(sum, odd[u], w[u][1]);
      sum = _mm512_dpbusd_epi32(sum, stride_third(COLUMNS, even[u], next[u]), w[u][2]);
      sums[u] = requantize(mode, sum, &blocks[u]);
      even[u] = next[u];
      odd[u] = behind[u];
    }
    store_first(output, COLUMNS == 1 ? 64 : left * channels, ar_pack_dealt(sums, to));
  }
}

/* All rows of 64 channels from `channel` on, or of all channels. */
AR_INLINE void stride_rows(const int COLUMNS, const int mode, const ar_depthwise *plan,
                           const image *input, const int8_t *weights,
                           const ar_requantize_block *blocks, int32_t channel, int8_t *output) {
  __m512i w[4][3];
#pragma clang loop unroll(full)
  for (int i = 0; i < 12; ++i) w[i / 3][i % 3] = _mm512_load_si512(weights + 64 * i);
  const int64_t row = (int64_t)plan->output_columns * plan->channels;
  for (int32_t y = 0; y < plan->output_rows; ++y, output += row) {
    const some_rows r = rows_from(plan, input, (int64_t)y * plan->stride_rows, channel);
    stride_row(COLUMNS, mode, plan, &r, w, blocks, output);
  }
}

#define STRIDE(NAME, COLUMNS, MODE)                                                      \
  static void NAME(const ar_depthwise *plan, const image *input, const int8_t *weights,  \
                   const ar_requantize_block *blocks, int32_t channel, int8_t *output) { \
    stride_rows(COLUMNS, MODE, plan, input, weights, blocks, channel, output);           \
  }
STRIDE(stride_1_0, 1, AR_REQUANT_FLOAT)
STRIDE(stride_1_1, 1, AR_REQUANT_SIGNED)
STRIDE(exact_stride_1, 1, AR_REQUANT_INTEGER)
STRIDE(stride_1_5, 1, AR_REQUANT_BARE)
STRIDE(stride_2_0, 2, AR_REQUANT_FLOAT)
STRIDE(stride_2_1, 2, AR_REQUANT_SIGNED)
STRIDE(exact_stride_2, 2, AR_REQUANT_INTEGER)
STRIDE(stride_2_5, 2, AR_REQUANT_BARE)
STRIDE(stride_4_0, 4, AR_REQUANT_FLOAT)
STRIDE(stride_4_1, 4, AR_REQUANT_SIGNED)
STRIDE(exact_stride_4, 4, AR_REQUANT_INTEGER)
STRIDE(stride_4_5, 4, AR_REQUANT_BARE)
typedef void (*stride_fn)(const ar_depthwise *, const image *, const int8_t *,
                          const ar_requantize_block *, int32_t, int8_t *);
static const stride_fn stride_variants[5][6] = {
    [1] = {stride_1_0, stride_1_1, exact_stride_1, exact_stride_1, exact_stride_1, stride_1_5},
    [2] = {stride_2_0, stride_2_1, exact_stride_2, exact_stride_2, exact_stride_2, stride_2_5},
    [4] = {stride_4_0, stride_4_1, exact_stride_4, exact_stride_4, exact_stride_4, stride_4_5}};

static void stride_image(const ar_depthwise *plan, const image *input, const int8_t *weights,
                         const ar_requantize_block *blocks, int8_t *output) {
  const stride_fn *by_mode = stride_variants[columns_at_once(plan)];
  for (int32_t c = 0; c < plan->channels; c += 64, weights += UNPACKED_BYTES, blocks += 4)
    by_mode[slowest_mode(blocks)](plan, input, weights, blocks, c, output + c);
}
