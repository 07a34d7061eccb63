/* Filters of one column that go down row by row: four rows of the input are interleaved once, and
 * serve four rows of output, for each of which there are shifted weights. Include depthwise_eight.h
 * before. */

enum { TALL_ROWS = 4 };

/* Times four rows, whose sums share loads of weights. */
#ifdef AR_DOT
enum { AT_ONCE = 2 };
#else
enum { AT_ONCE = 1 };
#endif

static int is_tall(const ar_depthwise *d) {
  return d->filter_columns == 1 && d->stride_rows == 1 && d->dilation_rows == 1 &&
         d->image_rows >= TALL_ROWS;
}

/* Blocks of four rows that four rows of output see. */
static int32_t tall_seen(const ar_depthwise *d) {
  return (d->filter_rows + TALL_ROWS - 1 + TALL_ROWS - 1) / TALL_ROWS;
}

/* Weights of a block, for eight channels of each of four rows: a dword is a channel's. */
typedef struct {
  int8_t of[TALL_ROWS][8][4];
} tall_weights;

static int64_t arranged_bytes(const ar_depthwise *d) {
  return is_tall(d) ? (int64_t)sizeof(tall_weights) * 2 * d->units * tall_seen(d) : 0;
}

/* A tap is a row further down for each row of output. */
static void arrange(const ar_depthwise *d, const int8_t *packed, int8_t *arranged) {
  const int32_t seen = tall_seen(d), groups = d->groups;
  tall_weights *to = (tall_weights *)arranged;
  memset(to, 0, (size_t)arranged_bytes(d));
  for (int32_t eights = 0; eights < 2 * d->units; ++eights, to += seen)
    for (int32_t row = 0; row < TALL_ROWS; ++row)
      for (int32_t tap = 0; tap < d->filter_rows; ++tap) {
        const int32_t place = row + tap;
        const int8_t *from =
            packed + ((int64_t)eights / 2 * groups + tap / 4) * 64 + eights % 2 * 32 + tap % 4;
        for (int32_t channel = 0; channel < 8; ++channel)
          to[place / 4].of[row][channel][place % 4] = from[4 * channel];
      }
}

/* Eight channels of the output. */
typedef struct {
  const uint32_t *blocks; /* of four rows, interleaved, at the first channel */
  int32_t dwords;         /* from one to the next */
  int32_t seen;           /* by four rows of output */
  int32_t rows, columns;  /* of the output */
  int32_t advance;        /* dwords from one column to the next */
  const tall_weights *weights;
  int8_t *output;
  int32_t output_advance; /* from one column to the next */
} tall_strip;

/* Sums of FOURS times four rows. SEEN is a constant, or 0 for any number. */
AR_INLINE void sum_fours(const int FOURS, const int SEEN, int32_t seen, const uint32_t *block,
                         ptrdiff_t dwords, const tall_weights *weights, eight bias, sums *acc) {
  AR_UNROLL
  for (int i = 0; i < TALL_ROWS * FOURS; ++i) acc[i] = sums_from(bias);
  const uint32_t *at[AT_ONCE]; /* each goes on: what one loads is not kept for the next */
  AR_UNROLL
  for (int f = 0; f < FOURS; ++f) at[f] = block + f * dwords;
  int32_t j = 0;
#define AR_BLOCK_OF_ROWS(weights)                                                                  \
  eight x[AT_ONCE];                                                                                \
  AR_UNROLL                                                                                        \
  for (int f = 0; f < FOURS; ++f, at[f - 1] += dwords) x[f] = load_eight(at[f]);                   \
  AR_UNROLL                                                                                        \
  for (int s = 0; s < TALL_ROWS; ++s) {                                                            \
    const eight w = load_eight((weights)->of[s]);                                                  \
    AR_UNROLL                                                                                      \
    for (int f = 0; f < FOURS; ++f) acc[TALL_ROWS * f + s] = dot(acc[TALL_ROWS * f + s], x[f], w); \
  }
  if (SEEN) {
    AR_UNROLL
    for (; j < SEEN; ++j) {
      AR_BLOCK_OF_ROWS(weights + j)
    }
    return;
  }
  do {
    AR_BLOCK_OF_ROWS(weights)
    ++weights;
  } while (++j < seen);
#undef AR_BLOCK_OF_ROWS
}

/* A column of the output. */
AR_INLINE void tall_column(const int WAY, const int FOURS, const int SEEN, const tall_strip *r,
                           const tall_weights *weights, const ending *e, const rounding *by,
                           eight bias, const uint32_t *block, int8_t *output) {
  const ptrdiff_t row = (ptrdiff_t)r->columns * r->output_advance;
  int32_t left = r->rows;
  sums acc[TALL_ROWS * AT_ONCE];
  eight out[TALL_ROWS * AT_ONCE];
#define AR_ROWS(FOURS)                                                   \
  sum_fours(FOURS, SEEN, r->seen, block, r->dwords, weights, bias, acc); \
  totals(TALL_ROWS *(FOURS), acc, bias, out);                            \
  requantize_eights(WAY, TALL_ROWS *(FOURS), e, by, out);
  for (; left >= TALL_ROWS * FOURS; left -= TALL_ROWS * FOURS) {
    AR_ROWS(FOURS)
    store_eights(WAY, TALL_ROWS * FOURS, e, out, (places){output, output + row, 2 * row});
    block += FOURS * (ptrdiff_t)r->dwords;
    output += TALL_ROWS * FOURS * row;
  }
  if (!left) return;
  AR_ROWS(FOURS)
  store_some_eights(WAY, TALL_ROWS * FOURS, left, e, out, output, row);
#undef AR_ROWS
}

AR_INLINE void tall_columns(const int WAY, const int FOURS, const int SEEN, const tall_strip *of,
                            const ending *given) {
  const tall_strip own = *of, *r = &own; /* what is written might be the caller's */
  const ending e = *given;
  const rounding by = rounding_of(&e);
  const eight bias = bias_of(&e);
  tall_weights kept[SEEN ? SEEN : 1];
  if (SEEN) memcpy(kept, r->weights, sizeof kept);
  for (int32_t i = 0; i < r->columns; ++i)
    tall_column(WAY, FOURS, SEEN, r, SEEN ? kept : r->weights, &e, &by, bias,
                r->blocks + (ptrdiff_t)i * r->advance,
                r->output + (ptrdiff_t)i * r->output_advance);
}

/* The weights of two blocks stay in registers beside the sums of four rows. */
typedef void (*tall_fn)(const tall_strip *, const ending *);
#define TALL_VARIANT(NAME, WAY)                                                                   \
  static void NAME##_two(const tall_strip *r, const ending *e) { tall_columns(WAY, 1, 2, r, e); } \
  static void NAME##_any(const tall_strip *r, const ending *e) {                                  \
    tall_columns(WAY, AT_ONCE, 0, r, e);                                                          \
  }
TALL_VARIANT(tall_up, UP)
TALL_VARIANT(tall_away, AWAY)
TALL_VARIANT(tall_lines, LINES)
TALL_VARIANT(exact_tall, EXACT)
static const tall_fn tall_ways[2][WAYS] = {
    {tall_up_any, tall_away_any, tall_lines_any, exact_tall_any},
    {tall_up_two, tall_away_two, tall_lines_two, exact_tall_two}};

/* Blocks that are read: those of rows that do not exist, too. */
static int32_t tall_blocks(const ar_depthwise *d) {
  return ar_round_up(d->output_rows, TALL_ROWS * AT_ONCE) / TALL_ROWS + tall_seen(d) - 1;
}

static int64_t tall_bytes(const ar_depthwise *d) {
  return (int64_t)tall_blocks(d) * row_dwords(d) * 4;
}

static void tall(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                 const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  const int32_t dwords = row_dwords(d), last = last_row(d);
  const ar_bounds to = bounds_of(d, blocks);
  uint32_t *interleaved = (uint32_t *)workspace;
  for (int32_t row = 0; row <= last; row += TALL_ROWS)
    interleave_from(d, input, row, last, interleaved + (int64_t)(row / TALL_ROWS) * dwords);
  tall_strip r = {.blocks = interleaved,
                  .dwords = dwords,
                  .seen = tall_seen(d),
                  .rows = d->output_rows,
                  .columns = d->output_columns,
                  .advance = d->stride_columns * d->channels,
                  .weights = (const tall_weights *)weights,
                  .output = output,
                  .output_advance = d->channels};
  for (int32_t c = 0; c < d->channels; c += 8, r.blocks += 8, r.output += 8, r.weights += r.seen) {
    const ending e = ending_of(d, blocks, &to, c);
    tall_ways[r.seen == 2][way_of(e.block->mode, &to)](&r, &e);
  }
}
