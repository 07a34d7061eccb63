/* 3x3 filters with stride and dilation 1: two rows of output at a time share what is loaded. Include
 * depthwise_eight.h before. */

/* Rows of output that go together, and columns whose sums fit in the registers beside the rows'
 * weights; lines need some, too. */
#ifdef AR_DOT
enum { TOGETHER = 2, SLIDE_COLUMNS = 4, LINES_COLUMNS = 2 };
#else
enum { TOGETHER = 1, SLIDE_COLUMNS = 4, LINES_COLUMNS = 4 };
#endif

static int slides(const ar_depthwise *d) {
  return d->filter_rows == 3 && d->filter_columns == 3 && d->stride_rows == 1 &&
         d->stride_columns == 1 && d->dilation_rows == 1 && d->dilation_columns == 1;
}

/* Taps of a filter's rows for some rows of output: a byte further they are for the next. */
typedef struct {
  eight of[TOGETHER][3];
} slide_weights;

AR_INLINE slide_weights load_slide_weights(const int8_t *weights, const int lower) {
  slide_weights w;
  AR_UNROLL
  for (int k = 0; k < 3; ++k) {
    const eight upper = load_eight(weights + 64 * k);
    AR_UNROLL
    for (int r = 0; r < TOGETHER; ++r) {
      w.of[r][k] = upper;
      if (r + lower) AR_BOTH w.of[r][k].v[q] = vshlq_n_s32(upper.v[q], 8);
    }
  }
  return w;
}

/* TOGETHER rows of output and COUNT columns of them. */
AR_INLINE void slide_columns(const int WAY, const int COUNT, const uint32_t *row,
                             ptrdiff_t channels, const slide_weights *w, const ending *e,
                             const places to) {
  const eight bias = bias_of(e);
  sums acc[TOGETHER * SLIDE_COLUMNS];
  eight out[TOGETHER * SLIDE_COLUMNS];
  AR_UNROLL
  for (int i = 0; i < TOGETHER * COUNT; ++i) acc[i] = sums_from(bias);
  AR_UNROLL
  for (int c = 0; c < COUNT + 2; ++c) {
    const eight x = load_eight(row + c * channels);
    AR_UNROLL
    for (int k = 0; k < 3; ++k) {
      if (c < k || c - k >= COUNT) continue;
      AR_UNROLL
      for (int r = 0; r < TOGETHER; ++r)
        acc[TOGETHER * (c - k) + r] = dot(acc[TOGETHER * (c - k) + r], x, w->of[r][k]);
    }
  }
  const rounding by = rounding_of(e);
  totals(TOGETHER * COUNT, acc, bias, out);
  requantize_eights(WAY, TOGETHER * COUNT, e, &by, out);
  store_eights(WAY, TOGETHER * COUNT, e, out, to);
}

/* Pairs of output rows, eight channels of them. */
typedef struct {
  const uint32_t *row; /* interleaved rows, one for each pair */
  int32_t row_dwords;  /* from one to the next */
  int32_t pairs;
  int8_t *upper; /* the first pair's first row */
  int8_t *last;  /* where the last pair's second row goes */
} slide_strip;

/* Columns of a row go in parts of about the same size: the first `larger` have one more. */
typedef struct {
  int32_t count, size, larger;
} slide_parts;

AR_INLINE slide_parts parts_of(const int WAY, const ar_depthwise *d) {
  const int32_t columns = d->output_columns, most = WAY == LINES ? LINES_COLUMNS : SLIDE_COLUMNS;
  const int32_t count = (columns + most - 1) / most;
  return (slide_parts){count, columns / count, columns % count};
}

/* All columns of TOGETHER rows. */
AR_INLINE void slide_row(const int WAY, const slide_parts *parts, const uint32_t *row,
                         ptrdiff_t channels, const slide_weights *w, const ending *e, places to) {
#define SLIDE(COUNT)                                                   \
  case COUNT:                                                          \
    if (COUNT > (WAY == LINES ? LINES_COLUMNS : SLIDE_COLUMNS)) break; \
    slide_columns(WAY, COUNT, row, channels, w, e, to);                \
    break;
  for (int32_t i = 0; i < parts->count; ++i) {
    const int32_t count = parts->size + (i < parts->larger);
    switch (count) { SLIDE(1) SLIDE(2) SLIDE(3) SLIDE(4) }
    row += count * channels;
    to.first += count * channels;
    to.second += count * channels;
  }
#undef SLIDE
}

AR_INLINE void slide_rows(const int WAY, const ar_depthwise *d, const slide_strip *of,
                          const int8_t *weights, const ending *given) {
  const ending e = *given;
  const slide_parts parts = parts_of(WAY, d);
  const ptrdiff_t channels = d->channels, output_row = d->output_columns * channels;
  const int32_t row_dwords = of->row_dwords;
  const uint32_t *row = of->row;
  int8_t *upper = of->upper, *const last = of->last;
#ifdef AR_DOT
  const slide_weights w = load_slide_weights(weights, 0);
#endif
  for (int32_t left = of->pairs; left > 0; --left) {
    int8_t *lower = left > 1 ? upper + output_row : last;
#ifdef AR_DOT
    slide_row(WAY, &parts, row, channels, &w, &e, (places){upper, lower, channels});
#else
    AR_UNROLL
    for (int r = 0; r < 2; ++r) {
      const slide_weights w = load_slide_weights(weights, r);
      int8_t *const out = r ? lower : upper;
      slide_row(WAY, &parts, row, channels, &w, &e, (places){out, out + channels, 2 * channels});
    }
#endif
    row += row_dwords;
    upper += 2 * output_row;
  }
}

typedef void (*slide_fn)(const ar_depthwise *, const slide_strip *, const int8_t *, const ending *);
#define SLIDE_VARIANT(NAME, WAY)                                                           \
  static void NAME(const ar_depthwise *d, const slide_strip *strip, const int8_t *weights, \
                   const ending *e) {                                                      \
    slide_rows(WAY, d, strip, weights, e);                                                 \
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
    for (int k = 0; k < 4; ++k) rows[k] = input + (int64_t)(y + k - (odd && k == 3)) * d->row_bytes;
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
    for (int32_t c = 0; c < d->channels;
         c += 8, strip.row += 8, strip.upper += 8, strip.last += 8) {
      const ending e = ending_of(d, blocks, &to, c);
      const int8_t *w = weights + (int64_t)64 * 3 * (c / AR_BLOCK) + 4 * e.first;
      slide_ways[way_of(e.block->mode, &to)](d, &strip, w, &e);
    }
  }
}
