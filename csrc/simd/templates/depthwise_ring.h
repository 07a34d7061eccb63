/* Depthwise convolution in strips: rows of the input are interleaved once, into a ring that stays in
 * the first level of cache.
 *
 * Define before this:
 * - GROUP, and interleave(out, taps, bytes): dword i of the result holds bytes i of the GROUP rows;
 * - row_dwords(depthwise): how many dwords that writes, and what is read behind them;
 * - strip, with the members that are set below, and all_channels(depthwise, strip, weights, blocks),
 *   which computes one.
 */
enum { RING_BYTES = 32768 };

static int32_t last_row(const ar_depthwise *d) {
  return (d->output_rows - 1) * d->stride_rows + (d->filter_rows - 1) * d->dilation_rows;
}

/* Rows that one output row is made from, first to last. */
static int32_t used_rows(const ar_depthwise *d) {
  return GROUP * (d->groups - 1) * d->dilation_rows + 1;
}

/* Rows of the ring. Where the output is one column, all rows must lie in order. */
static int32_t kept_rows(const ar_depthwise *d) {
  const int32_t all = last_row(d) + 1, used = used_rows(d);
  const int32_t fit = RING_BYTES / 4 / row_dwords(d);
  if (d->output_columns == 1 || all < fit) return all;
  return fit < used ? used : fit;
}

static int64_t ring_bytes(const ar_depthwise *d) {
  return (int64_t)kept_rows(d) * row_dwords(d) * 4;
}

/* Rows beyond the last only meet zero weights: it is repeated. */
static void interleave_from(const ar_depthwise *d, const uint8_t *input, int32_t row, int32_t last,
                            uint32_t *out) {
  const uint8_t *taps[GROUP];
  for (int32_t t = 0; t < GROUP; ++t) {
    const int32_t tap = row + t * d->dilation_rows;
    taps[t] = input + (int64_t)(tap > last ? last : tap) * d->row_bytes;
  }
  interleave(out, taps, d->row_bytes);
}

static void in_strips(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                      const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  const int32_t dwords = row_dwords(d), kept = kept_rows(d), used = used_rows(d);
  const int32_t at_once = (kept - used) / d->stride_rows + 1; /* output rows */
  const int32_t last = last_row(d), between = d->output_rows == 1 ? GROUP * d->dilation_rows : 1;
  const int64_t output_row = (int64_t)d->output_columns * d->channels;
  const int in_column = d->output_columns == 1;
  uint32_t *ring = (uint32_t *)workspace;
  int32_t ready = 0; /* rows that have been interleaved */
  for (int32_t y = 0; y < d->output_rows; y += at_once) {
    const int32_t rows = d->output_rows - y < at_once ? d->output_rows - y : at_once;
    const int32_t first = y * d->stride_rows, end = first + (rows - 1) * d->stride_rows + used;
    ready = ready < first ? first : ready;
    for (int32_t place = ready % kept; ready < end; ready += between, place += between) {
      place -= place >= kept ? kept : 0;
      interleave_from(d, input, ready, last, ring + (int64_t)place * dwords);
    }
    strip r = {
        .ring = ring,
        .kept = kept,
        .dwords = dwords,
        .place = first % kept,
        .group_step = GROUP * d->dilation_rows,
        .row_step = d->stride_rows,
        .rows = in_column ? 1 : rows,
        .columns = in_column ? rows : d->output_columns,
        .groups = d->groups,
        .filter_columns = d->filter_columns,
        .tap = d->dilation_columns * d->channels,
        .advance = in_column ? dwords * d->stride_rows : d->stride_columns * d->channels,
        .output = output + y * output_row,
        .output_advance = d->channels,
    };
    all_channels(d, &r, weights, blocks);
  }
}
