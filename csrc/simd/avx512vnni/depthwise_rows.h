/* Rows of an image, four by four: what the depthwise kernels of this folder share. */
#pragma once

#include "lanes.h"

#include "convolution/interleaved_depthwise.h"
#include "simd/templates/requantize.h"

/* An image, and a row of what stands for zero. */
typedef struct {
  const int8_t *data, *border;
} image;

/* Row y of the image as if it had its border. */
AR_INLINE const int8_t *row_of(const ar_depthwise *plan, const image *input, int64_t y) {
  const ar_staging *s = &plan->staging;
  y -= s->top;
  return y >= 0 && y < s->rows ? input->data + y * s->row_bytes : input->border;
}

/* Four rows, from a channel of the first column on. */
typedef struct {
  const int8_t *rows[4];
  int32_t begin, end; /* what is of the image, in bytes from there */
  __m512i border;
} some_rows;

AR_INLINE some_rows rows_from(const ar_depthwise *plan, const image *input, int64_t y,
                              int32_t channel) {
  const ar_staging *s = &plan->staging;
  return (some_rows){{row_of(plan, input, y) + channel, row_of(plan, input, y + 1) + channel,
                      row_of(plan, input, y + 2) + channel, row_of(plan, input, y + 3) + channel},
                     -channel,
                     s->row_bytes - channel,
                     _mm512_set1_epi8((char)(s->padding ^ 0x80))};
}

/* 64 bytes of a row from `at` on, some of which may be border. */
AR_INLINE __m512i load_some(const some_rows *r, const int row, int32_t at) {
  const int32_t before = r->begin - at, left = r->end - at;
  if (before >= 64 || left <= 0) return r->border;
  const __mmask64 end = left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
  const __mmask64 begin = before > 0 ? ~UINT64_C(0) << before : ~UINT64_C(0);
  return _mm512_mask_loadu_epi8(r->border, begin & end, r->rows[row] + at);
}

/* Bytes as u8, their dwords dealt to the four 128-bit lanes in turn, so that two rounds of
 * unpacking leave 16 consecutive elements in each vector. */
AR_INLINE __m512i deal(__m512i bytes) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, _mm512_xor_si512(bytes, _mm512_set1_epi8(-128)));
}

/* Four times 64 dwords: dword i is bytes i of the four vectors. */
AR_INLINE void store_interleaved(uint32_t *out, __m512i a, __m512i b, __m512i c, __m512i d) {
  a = deal(a), b = deal(b), c = deal(c), d = deal(d);
  const __m512i ab_low = _mm512_unpacklo_epi8(a, b), ab_high = _mm512_unpackhi_epi8(a, b);
  const __m512i cd_low = _mm512_unpacklo_epi8(c, d), cd_high = _mm512_unpackhi_epi8(c, d);
  _mm512_storeu_si512(out, _mm512_unpacklo_epi16(ab_low, cd_low));
  _mm512_storeu_si512(out + 16, _mm512_unpackhi_epi16(ab_low, cd_low));
  _mm512_storeu_si512(out + 32, _mm512_unpacklo_epi16(ab_high, cd_high));
  _mm512_storeu_si512(out + 48, _mm512_unpackhi_epi16(ab_high, cd_high));
}

/* At least `count` dwords of border. */
AR_INLINE void store_border(const ar_depthwise *plan, uint32_t *out, int32_t count) {
  const __m512i border = _mm512_set1_epi8((char)plan->staging.padding);
  for (int32_t i = 0; i < count; i += 16) _mm512_storeu_si512(out + i, border);
}

/* Dword i of the result is bytes i of four rows with their border. */
static void interleave(const ar_depthwise *plan, uint32_t *out, const int8_t *r0, const int8_t *r1,
                       const int8_t *r2, const int8_t *r3) {
  const ar_staging *s = &plan->staging;
  const int32_t bytes = s->row_bytes, right = s->left_bytes + bytes;
  store_border(plan, out, s->left_bytes);
  uint32_t *inside = out + s->left_bytes;
  int32_t i = 0;
  for (; i + 64 <= bytes; i += 64)
    store_interleaved(inside + i, _mm512_loadu_si512(r0 + i), _mm512_loadu_si512(r1 + i),
                      _mm512_loadu_si512(r2 + i), _mm512_loadu_si512(r3 + i));
  if (i < bytes) {
    const __mmask64 rest = (UINT64_C(1) << (bytes - i)) - 1;
    store_interleaved(inside + i, _mm512_maskz_loadu_epi8(rest, r0 + i),
                      _mm512_maskz_loadu_epi8(rest, r1 + i), _mm512_maskz_loadu_epi8(rest, r2 + i),
                      _mm512_maskz_loadu_epi8(rest, r3 + i));
  }
  store_border(plan, out + right, s->staged_row_bytes - right);
}

enum { UNPACKED_BYTES = 3 * 4 * 64 /* of the weights of 64 channels, and of three columns */ };

/* The byte of a register that a lane has. Unpacking deals the dwords of a register's 128-bit lanes to
 * four units, from which packing makes bytes in order again. */
static int32_t unpacked_byte(int32_t lane) {
  const int32_t i = lane % 64;
  return lane - i + i % 16 / 4 * 16 + i / 16 * 4 + i % 4;
}

AR_INLINE __m512i requantize(const int mode, __m512i acc, const ar_requantize_block *block) {
  const __m512 scale = _mm512_load_ps(block->scale), offset = _mm512_load_ps(block->offset);
  if (mode == AR_REQUANT_BARE) return ar_on_bare_line(acc, scale, offset);
  if (mode == AR_REQUANT_FLOAT) return ar_on_line(acc, scale, offset);
  if (mode == AR_REQUANT_SIGNED)
    return ar_on_signed_line(acc, scale, offset, _mm512_load_ps(block->negative_offset));
  return ar_requantize_exact(acc, block);
}

/* The first `left` bytes of 64. */
AR_INLINE void store_first(int8_t *output, int32_t left, __m512i bytes) {
  if (left >= 64) _mm512_storeu_si512(output, bytes);
  else _mm512_mask_storeu_epi8(output, (UINT64_C(1) << left) - 1, bytes);
}

AR_INLINE ar_bounds bounds_of(const ar_depthwise *plan) {
  return ar_set_bounds(plan->activation_min, plan->activation_max);
}

/* Whether weights fit in registers. */
static int is_small(const ar_depthwise *plan) {
  return plan->groups == 1 && (plan->filter_columns == 3 || plan->filter_columns == 1);
}

/* Whether columns lie side by side in the four units of one store: few channels that divide
 * 64. Otherwise a store holds up to 64 channels of one column. */
static int is_flat(const ar_depthwise *plan) {
  const int32_t c = plan->channels;
  const int whole = plan->stride_columns == 1 || (c % 16 == 0 && is_small(plan));
  return c < 64 && 64 % c == 0 && whole && plan->output_columns * c % 64 == 0;
}

/* Of an interleaved row, with room for stores and loads past its end. */
static int64_t row_dwords(const ar_depthwise *plan) {
  return ((int64_t)plan->row_bytes + 63) / 64 * 64 + 128;
}

static int64_t border_bytes(const ar_depthwise *plan) {
  return ((int64_t)plan->staging.row_bytes + 63) / 64 * 64;
}

static int32_t slowest_mode(const ar_requantize_block *four_blocks) {
  int32_t mode = AR_REQUANT_FLOAT;
  for (int u = 0; u < 4; ++u)
    if (four_blocks[u].mode > mode) mode = four_blocks[u].mode;
  return mode;
}
