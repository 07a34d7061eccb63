/* 3x3 filters with stride and dilation 1: two rows of output at a time share what is loaded. Include
 * depthwise_eight.h before. */

/* Columns whose sums, with twelve vectors of weights, fit in the registers; lines need some, too. */
enum { SLIDE_COLUMNS = 4, LINES_COLUMNS = 2 };

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

/* Pairs of output rows, eight channels of them. */
typedef struct {
  const uint32_t *row; /* interleaved rows, one for each pair */
  int32_t row_dwords;  /* from one to the next */
  int32_t pairs;
  int8_t *upper;       /* the first pair's first row */
  int8_t *last;        /* where the last pair's second row goes */
} slide_strip;

/* Rows go in parts of about the same size. */
AR_INLINE void slide_rows(const int WAY, const ar_depthwise *d, const slide_strip *of,
                          const int8_t *weights, const ending *given) {
  const slide_weights w = load_slide_weights(weights);
  const ending e = *given;
  const ptrdiff_t channels = d->channels, output_row = d->output_columns * channels;
  const int32_t most = WAY == LINES ? LINES_COLUMNS : SLIDE_COLUMNS;
  const int32_t parts = (d->output_columns + most - 1) / most;
  const int32_t size = d->output_columns / parts, larger = d->output_columns % parts;
  const int32_t row_dwords = of->row_dwords;
  const uint32_t *first = of->row;
  int8_t *above = of->upper, *const last = of->last;
#define SLIDE(COUNT)                                                          \
  case COUNT:                                                                 \
    if (COUNT > most) break;                                                  \
    slide_columns(WAY, COUNT, row, channels, &w, &e, upper, lower);          \
    break;
  for (int32_t left = of->pairs; left > 0; --left) {
    const uint32_t *row = first;
    int8_t *upper = above, *lower = left > 1 ? above + output_row : last;
    for (int32_t i = 0; i < parts; ++i) {
      const int32_t count = size + (i < larger);
      switch (count) { SLIDE(1) SLIDE(2) SLIDE(3) SLIDE(4) }
      row += count * channels;
      upper += count * channels;
      lower += count * channels;
    }
    first += row_dwords;
    above += 2 * output_row;
  }
#undef SLIDE
}

typedef void (*slide_fn)(const ar_depthwise *, const slide_strip *, const int8_t *,
                         const ending *);
#define SLIDE_VARIANT(NAME, WAY)                                                             \
  static void NAME(const ar_depthwise *d, const slide_strip *strip, const int8_t *weights,   \
                   const ending *e) {                                                        \
    slide_rows(WAY, d, strip, weights, e);                                                   \
  }
SLIDE_VARIANT(slide_up, UP)
SLIDE_VARIANT(slide_away, AWAY)
SLIDE_VARIANT(slide_lines, LINES)
SLIDE_VARIANT(exact_slide, EXACT)
static const slide_fn slide_ways[WAYS] = {slide_up, slide_away, slide_lines, exact_slide};

/* Interleaved rows that stay in the first level of cache from one eight of channels to the next. */
static int32_t slide_pairs(const ar_depthwise *d) {
  const int32_t fit = RING_BYTES / 4 / row_dwords(d), all = (d->output_rows + 1) / 2;
  return fit < 1 ? 1 : fit < all ? fit : all;
}

/* Interleaved rows, and an output row that nobody wants. */
static int64_t slide_bytes(const ar_depthwise *d) {
  return slide_pairs(d) * (int64_t)row_dwords(d) * 4 + (int64_t)d->output_columns * d->channels;
}

/* The rows that pairs of output rows from `y` on are made of. */
static void interleave_pairs(const ar_depthwise *d, const uint8_t *input, int32_t y, int32_t pairs,
                             uint32_t *out) {
  for (int32_t i = 0; i < pairs; ++i, y += 2, out += row_dwords(d)) {
    const uint8_t *rows[4];
    const int odd = y + 1 == d->output_rows;
    for (int k = 0; k < 4; ++k)
      rows[k] = input + (int64_t)(y + k - (odd && k == 3)) * d->row_bytes;
    interleave(out, rows, d->row_bytes);
  }
}

static void slide(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                  const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  const int64_t output_row = (int64_t)d->output_columns * d->channels;
  const int32_t most = slide_pairs(d), dwords = row_dwords(d);
  const ar_bounds to = bounds_of(d, blocks);
  uint32_t *ring = (uint32_t *)workspace;
  for (int32_t y = 0; y < d->output_rows; y += 2 * most) {
    const int32_t left = (d->output_rows - y + 1) / 2, pairs = left < most ? left : most;
    const int32_t last = y + 2 * pairs - 1;
    int8_t *unwanted = (int8_t *)(ring + (int64_t)most * dwords);
    slide_strip strip = {.row = ring,
                         .row_dwords = dwords,
                         .pairs = pairs,
                         .upper = output + y * output_row,
                         .last = last < d->output_rows ? output + last * output_row : unwanted};
    interleave_pairs(d, input, y, pairs, ring);
    for (int32_t c = 0; c < d->channels; c += 8, strip.row += 8, strip.upper += 8, strip.last += 8) {
      const ending e = ending_of(d, blocks, &to, c);
      const int8_t *w = weights + (int64_t)64 * 3 * (c / AR_BLOCK) + 4 * e.first;
      slide_ways[way_of(e.block->mode, &to)](d, &strip, w, &e);
    }
  }
}
