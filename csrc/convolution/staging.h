/* Copies an NHWC int8 image into a padded one of unsigned bytes (q ^ 0x80), or of int16 less
 * the zero point. Inline, so that each instruction set compiles it for itself. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "engine/proof.h"
#include "records/window.h"

/* Bytes are those of the staged elements, whatever the source's are. */
typedef struct {
  int32_t rows, row_bytes; /* of the source image */
  int32_t top, left_bytes; /* where it lies in the staged image */
  int32_t staged_rows, staged_row_bytes;
  uint8_t padding; /* of bytes: the one that stands for zero */
} ar_staging;

/* Bytes of one staged image, with room for vector loads past its end. */
static inline int64_t ar_staged_bytes(const ar_staging *s) {
  return ((int64_t)s->staged_rows * s->staged_row_bytes + 63) / 64 * 64 + 128;
}

/* What staging may take: wide dilations ask for borders of any size. */
#define AR_MAX_STAGED_BYTES (INT64_C(1) << 28)

/* The same window without strides and dilations that nothing is multiplied with: a file may set
 * them to anything. */
static inline Window ar_plain_window(const Window *window) {
  Window w = *window;
  for (int i = 0; i < 2; ++i) {
    if (w.output_size[i] == 1) w.stride[i] = 1;
    if (w.filter_size[i] == 1) w.dilation[i] = 1;
  }
  return w;
}

/* The staging of a plain window over an image: wide enough for every position of the window.
 * Returns AR_UNSUPPORTED where that takes too much memory, or offsets that int32 does not hold;
 * or where the window starts inside the image, as MNN's may. */
static inline ar_status ar_stage_window(ar_staging *s, const Window *w, int32_t height,
                                        int32_t width, int32_t depth, uint8_t padding) {
  int64_t size[2] = {(int64_t)w->padding[0] + height, (int64_t)w->padding[1] + width};
  for (int i = 0; i < 2; ++i) {
    if (w->padding[i] < 0 || w->stride[i] < 1 || w->dilation[i] < 1 || w->filter_size[i] < 1 ||
        w->output_size[i] < 1)
      return AR_UNSUPPORTED;
    const int64_t need = (int64_t)(w->output_size[i] - 1) * w->stride[i] +
                         (int64_t)(w->filter_size[i] - 1) * w->dilation[i] + 1;
    if (need > size[i]) size[i] = need;
    if (size[i] > AR_MAX_STAGED_BYTES) return AR_UNSUPPORTED;
  }
  const int64_t row = ar_times(size[1], depth), all = ar_times(size[0], row);
  if (row < 0 || all < 0 || all > AR_MAX_STAGED_BYTES || height < 1 || width < 1 || depth < 1)
    return AR_UNSUPPORTED;
  *s = (ar_staging){
      .rows = height,
      .row_bytes = width * depth,
      .top = w->padding[0],
      .left_bytes = w->padding[1] * depth,
      .staged_rows = (int32_t)size[0],
      .staged_row_bytes = (int32_t)size[1] * depth,
      .padding = padding,
  };
  return AR_OK;
}

static inline void ar_flip(uint8_t *restrict out, const int8_t *restrict in, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = (uint8_t)in[i] ^ 0x80;
}

static inline int ar_needs_no_border(const ar_staging *s) {
  return s->staged_row_bytes == s->row_bytes && s->staged_rows == s->rows;
}

/* Bytes as they are, in a border of zeros. */
static inline void ar_stage_zero(const ar_staging *s, const uint8_t *source, uint8_t *staged) {
  memset(staged, 0, (size_t)s->staged_rows * s->staged_row_bytes);
  uint8_t *row = staged + (int64_t)s->top * s->staged_row_bytes + s->left_bytes;
  for (int32_t y = 0; y < s->rows; ++y, row += s->staged_row_bytes)
    memcpy(row, source + (int64_t)y * s->row_bytes, s->row_bytes);
}

static inline void ar_stage(const ar_staging *s, const int8_t *source, uint8_t *staged) {
  if (ar_needs_no_border(s)) {
    ar_flip(staged, source, (int64_t)s->rows * s->row_bytes);
    return;
  }
  /* One call for the whole border: many small ones take longer than writing twice. */
  memset(staged, s->padding, (size_t)s->staged_rows * s->staged_row_bytes);
  uint8_t *row = staged + (int64_t)s->top * s->staged_row_bytes + s->left_bytes;
  for (int32_t y = 0; y < s->rows; ++y, row += s->staged_row_bytes)
    ar_flip(row, source + (int64_t)y * s->row_bytes, s->row_bytes);
}

/* Rows [from, to) of a staged image, staged by themselves: the source's begin with row `first`. */
typedef struct {
  ar_staging staging;
  int32_t first;
} ar_staged_part;

static inline ar_staged_part ar_staged_rows(const ar_staging *s, int32_t from, int32_t to) {
  ar_staged_part part = {*s, from > s->top ? from - s->top : 0};
  if (part.first > s->rows) part.first = s->rows;
  const int32_t end = to - s->top < s->rows ? to - s->top : s->rows;
  part.staging.rows = end > part.first ? end - part.first : 0;
  part.staging.top = s->top > from && part.staging.rows ? s->top - from : 0;
  part.staging.staged_rows = to - from;
  return part;
}

/* Bytes as they are: those of zero are around them. */
static inline void ar_stage_signed(const ar_staging *s, const int8_t *source, uint8_t *staged) {
  if (ar_needs_no_border(s)) {
    memcpy(staged, source, (size_t)s->rows * s->row_bytes);
    return;
  }
  memset(staged, s->padding ^ 0x80, (size_t)s->staged_rows * s->staged_row_bytes);
  uint8_t *row = staged + (int64_t)s->top * s->staged_row_bytes + s->left_bytes;
  for (int32_t y = 0; y < s->rows; ++y, row += s->staged_row_bytes)
    memcpy(row, source + (int64_t)y * s->row_bytes, (size_t)s->row_bytes);
}

static inline void ar_widen(int16_t *restrict out, const int8_t *restrict in, int64_t count,
                            int32_t zero_point) {
  for (int64_t i = 0; i < count; ++i) out[i] = (int16_t)(in[i] - zero_point);
}

/* The same as int16: what stands for zero is zero. */
static inline void ar_stage_int16(const ar_staging *s, const int8_t *source, uint8_t *staged) {
  const int32_t zero_point = s->padding - 128, elements = s->row_bytes / 2;
  if (ar_needs_no_border(s)) {
    ar_widen((int16_t *)staged, source, (int64_t)s->rows * elements, zero_point);
    return;
  }
  memset(staged, 0, (size_t)s->staged_rows * s->staged_row_bytes);
  uint8_t *row = staged + (int64_t)s->top * s->staged_row_bytes + s->left_bytes;
  for (int32_t y = 0; y < s->rows; ++y, row += s->staged_row_bytes)
    ar_widen((int16_t *)row, source + (int64_t)y * elements, elements, zero_point);
}
