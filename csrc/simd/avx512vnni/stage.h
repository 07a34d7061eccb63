/* Staging of images with rows of a few bytes: each is one load and one store. */
#include "lanes.h"

#include "convolution/staging.h"

enum { NARROW_BYTES = 16 };

/* At least `count` bytes of border. */
static void stage_border(uint8_t *staged, __m128i border, int64_t count) {
  for (int64_t i = 0; i < count; i += NARROW_BYTES)
    _mm_storeu_si128((__m128i *)(staged + i), border);
}

/* What ar_stage() does. Every row is stored with the border behind it, and what of that reaches
 * into the next row is written over. Wider stores would have to be through before a tile reads dwords
 * of them. */
static void stage_narrow(const ar_staging *s, const int8_t *source, uint8_t *staged) {
  if (ar_needs_no_border(s) || s->staged_row_bytes > NARROW_BYTES) {
    ar_stage(s, source, staged);
    return;
  }
  const __m128i border = _mm_set1_epi8((char)s->padding), flip = _mm_set1_epi8(-128);
  const __m128i unflipped = _mm_xor_si128(border, flip);
  const __mmask16 row = (__mmask16)(0xFFFF >> (NARROW_BYTES - s->row_bytes));
  const int32_t step = s->staged_row_bytes, below = s->staged_rows - s->top - s->rows;
  const int64_t before = (int64_t)s->top * step + s->left_bytes;
  stage_border(staged, border, before);
  staged += before;
  for (int32_t y = 0; y < s->rows; ++y, source += s->row_bytes, staged += step) {
    const __m128i bytes = _mm_mask_loadu_epi8(unflipped, row, source);
    _mm_storeu_si128((__m128i *)staged, _mm_xor_si128(bytes, flip));
  }
  stage_border(staged, border, (int64_t)below * step - s->left_bytes);
}
