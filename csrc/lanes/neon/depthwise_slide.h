/* 3x3 filters with stride and dilation 1: two rows of output at a time share what is loaded. Include
 * depthwise_eight.h before. */

enum { SLIDE_COLUMNS = 4 }; /* whose sums, with twelve vectors of weights, fit in the registers */

static int slides(const ar_depthwise *d) {
  return d->filter_rows == 3 && d->filter_columns == 3 && d->stride_rows == 1 &&
         d->stride_columns == 1 && d->dilation_rows == 1 && d->dilation_columns == 1;
}

/* Taps of a filter's rows for the upper row of output; a byte further they are for the lower. */
typedef struct {
  eight upper[3], lower[3];
} slide_weights;

AR_INLINE slide_weights load_slide_weights(const int8_t *weights) {
  slide_weights w;
  AR_UNROLL for (int k = 0; k < 3; ++k) {
    w.upper[k] = load_eight(weights + 64 * k);
    AR_BOTH w.lower[k].v[q] = vshlq_n_s32(w.upper[k].v[q], 8);
  }
  return w;
}

/* Two rows of output and COUNT columns of them. */
AR_INLINE void slide_columns(const int WAY, const int COUNT, const uint32_t *row,
                             ptrdiff_t channels, const slide_weights *w, const ending *e,
                             int8_t *upper, int8_t *lower) {
  const eight bias = bias_of(e);
  eight acc[2 * SLIDE_COLUMNS];
  AR_UNROLL for (int i = 0; i < 2 * COUNT; ++i) acc[i] = bias;
  AR_UNROLL for (int c = 0; c < COUNT + 2; ++c) {
    const eight x = load_eight(row + c * channels);
    AR_UNROLL for (int k = 0; k < 3; ++k) {
      if (c < k || c - k >= COUNT) continue;
      acc[2 * (c - k)] = dot(acc[2 * (c - k)], x, w->upper[k]);
      acc[2 * (c - k) + 1] = dot(acc[2 * (c - k) + 1], x, w->lower[k]);
    }
  }
  const rounding by = rounding_of(e);
  requantize_eights(WAY, 2 * COUNT, e, &by, acc);
  store_eights(WAY, 2 * COUNT, e, acc, (places){upper, lower, channels});
}

/* Two rows of output for eight channels: parts of about the same size. */
AR_INLINE void slide_rows(const int WAY, const ar_depthwise *d, const uint32_t *row,
                          const int8_t *weights, const ending *given, int8_t *upper,
                          int8_t *lower) {
  const slide_weights w = load_slide_weights(weights);
  const ending e = *given;
  const ptrdiff_t channels = d->channels;
  const int32_t parts = (d->output_columns + SLIDE_COLUMNS - 1) / SLIDE_COLUMNS;
  const int32_t size = d->output_columns / parts, larger = d->output_columns % parts;
#define SLIDE(COUNT)                                                          \
  case COUNT:                                                                 \
    slide_columns(WAY, COUNT, row, channels, &w, &e, upper, lower);          \
    break;
  for (int32_t i = 0; i < parts; ++i) {
    const int32_t count = size + (i < larger);
    switch (count) { SLIDE(1) SLIDE(2) SLIDE(3) SLIDE(4) }
    row += count * channels;
    upper += count * channels;
    lower += count * channels;
  }
#undef SLIDE
}

typedef void (*slide_fn)(const ar_depthwise *, const uint32_t *, const int8_t *, const ending *,
                         int8_t *, int8_t *);
#define SLIDE_VARIANT(NAME, WAY)                                                             \
  static void NAME(const ar_depthwise *d, const uint32_t *row, const int8_t *weights,        \
                   const ending *e, int8_t *upper, int8_t *lower) {                          \
    slide_rows(WAY, d, row, weights, e, upper, lower);                                       \
  }
SLIDE_VARIANT(slide_up, UP)
SLIDE_VARIANT(slide_away, AWAY)
SLIDE_VARIANT(slide_lines, LINES)
SLIDE_VARIANT(exact_slide, EXACT)
static const slide_fn slide_ways[WAYS] = {slide_up, slide_away, slide_lines, exact_slide};

/* An interleaved row, and an output row that nobody wants. */
static int64_t slide_bytes(const ar_depthwise *d) {
  return (int64_t)row_dwords(d) * 4 + (int64_t)d->output_columns * d->channels;
}

static void slide(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                  const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  const int64_t output_row = (int64_t)d->output_columns * d->channels;
  const ar_bounds to = bounds_of(d, blocks);
  uint32_t *row = (uint32_t *)workspace;
  for (int32_t y = 0; y < d->output_rows; y += 2) {
    const int odd = y + 1 == d->output_rows;
    int8_t *upper = output + y * output_row;
    int8_t *lower = odd ? (int8_t *)(row + row_dwords(d)) : upper + output_row;
    const uint8_t *rows[4];
    for (int i = 0; i < 4; ++i)
      rows[i] = input + (int64_t)(y + i - (odd && i == 3)) * d->row_bytes;
    interleave(row, rows, d->row_bytes);
    for (int32_t c = 0; c < d->channels; c += 8) {
      const ending e = ending_of(d, blocks, &to, c);
      const int8_t *w = weights + (int64_t)64 * 3 * (c / AR_BLOCK) + 4 * e.first;
      slide_ways[way_of(e.block->mode, &to)](d, row + c, w, &e, upper + c, lower + c);
    }
  }
}
