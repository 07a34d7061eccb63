/* Tall filters: rows are interleaved once, and four rows of output at a time have weights of their
 * own. */
#include "depthwise_rows.h"

/* Whether rows are interleaved once, four by four, and weights shifted for the three output rows
 * that do not begin with them. */
static int shifts_weights(const ar_depthwise *plan) {
  const int side_by_side = plan->stride_columns == 1 || !is_flat(plan);
  return (plan->groups > 1 || plan->filter_columns == 1) && plan->stride_rows == 1 &&
         plan->dilation_rows == 1 && plan->image_rows >= 3 && side_by_side;
}

/* Groups of four rows that four output rows meet. */
static int32_t groups_met(const ar_depthwise *plan) { return (plan->filter_rows + 3 + 3) / 4; }

/* Of the shifted weights of four units. */
static int64_t shifted_bytes(const ar_depthwise *plan) {
  return (int64_t)1024 * groups_met(plan) * plan->filter_columns;
}

/* Interleaved groups of four rows that all output rows together meet. */
static int64_t rows_of_four(const ar_depthwise *plan) {
  return ((int64_t)plan->output_rows + 3) / 4 + groups_met(plan) - 1;
}

/* Rows of output that four_rows goes through: count steps of four rows each, side by side or, with
 * rows_step 4, one below the other. */
typedef struct {
  int32_t count, rows_left, rows_step;
  int64_t advance;        /* in dwords of the interleaved rows */
  int64_t output_advance; /* in bytes */
  int64_t output_row;     /* bytes from one output row to the next */
  uint64_t lanes;         /* bytes of a store that are channels */
} four_row_span;

/* Four units of four output rows at a time: a row of interleaved dwords serves all of them, each
 * with weights of its own, [groups][columns][4 rows][4 units][64 bytes]. */
AR_INLINE void four_rows(const int mode, const ar_depthwise *plan, const uint32_t *const *rows,
                         const four_row_span *span, const int8_t *weights,
                         const ar_requantize_block *blocks, int8_t *output) {
  four_row_span s = *span;
  const ar_bounds to = bounds_of(plan);
  const int32_t groups = plan->groups, columns = plan->filter_columns;
  const int64_t tap = (int64_t)plan->dilation_columns * plan->channels;
  int64_t at = 0;
  for (int32_t i = 0; i < s.count; ++i, at += s.advance, output += s.output_advance) {
    __m512i acc[4][4];
#pragma clang loop unroll(full)
    for (int r = 0; r < 4; ++r)
#pragma clang loop unroll(full)
      for (int u = 0; u < 4; ++u) acc[r][u] = _mm512_load_si512(blocks[u].bias);
    const int8_t *w = weights;
    for (int32_t g = 0; g < groups; ++g) {
      const uint32_t *row = rows[g] + at;
      for (int32_t k = 0; k < columns; ++k, w += 1024, row += tap)
#pragma clang loop unroll(full)
        for (int u = 0; u < 4; ++u) {
          const __m512i taps = _mm512_loadu_si512(row + 16 * u);
#pragma clang loop unroll(full)
          for (int r = 0; r < 4; ++r)
            acc[r][u] =
                _mm512_dpbusd_epi32(acc[r][u], taps, _mm512_load_si512(w + 64 * (4 * r + u)));
        }
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < 4; ++r) {
#pragma clang loop unroll(full)
      for (int u = 0; u < 4; ++u) acc[r][u] = requantize(mode, acc[r][u], &blocks[u]);
      const __m512i packed = ar_pack_four(acc[r], to);
      if (r < s.rows_left) _mm512_mask_storeu_epi8(output + r * s.output_row, s.lanes, packed);
    }
    s.rows_left -= s.rows_step;
  }
}

/* Weights as four_rows wants them, for four units: those of output row r begin r bytes later. */
static void shift_weights(const ar_depthwise *plan, const int8_t *weights, int8_t *shifted) {
  const int32_t groups = plan->groups, columns = plan->filter_columns;
  const int64_t unit = (int64_t)64 * groups * columns;
  for (int32_t g = 0; g < groups_met(plan); ++g)
    for (int32_t k = 0; k < columns; ++k)
      for (int32_t r = 0; r < 4; ++r) {
        const __m128i left = _mm_cvtsi32_si128(8 * r), right = _mm_cvtsi32_si128(32 - 8 * r);
        for (int32_t u = 0; u < 4; ++u, shifted += 64) {
          const int8_t *here = weights + u * unit + 64 * (g * columns + k);
          __m512i w = _mm512_setzero_si512();
          if (g < groups) w = _mm512_sll_epi32(_mm512_load_si512(here), left);
          if (g > 0) {
            const __m512i before = _mm512_load_si512(here - 64 * columns);
            w = _mm512_or_si512(w, _mm512_srl_epi32(before, right));
          }
          _mm512_store_si512(shifted, w);
        }
      }
}

#define FOUR_ROWS(MODE)                                                               \
  static void four_rows_##MODE(const ar_depthwise *plan, const uint32_t *const *rows, \
                               const four_row_span *span, const int8_t *weights,      \
                               const ar_requantize_block *blocks, int8_t *output) {   \
    four_rows(MODE, plan, rows, span, weights, blocks, output);                       \
  }
FOUR_ROWS(0)
FOUR_ROWS(1)
FOUR_ROWS(2)
FOUR_ROWS(5)
typedef void (*four_rows_fn)(const ar_depthwise *, const uint32_t *const *, const four_row_span *,
                             const int8_t *, const ar_requantize_block *, int8_t *);
static const four_rows_fn four_row_variants[] = {four_rows_0, four_rows_1, four_rows_2,
                                                 four_rows_2, four_rows_2, four_rows_5};

/* Four units of all output rows. */
static void four_units(const ar_depthwise *plan, const uint32_t *interleaved, int32_t block,
                       const int8_t *weights, const ar_requantize_block *blocks, int8_t *output) {
  const int32_t c = plan->channels, flat = is_flat(plan), columns = plan->output_columns;
  const int32_t left = c - block * 16, one_column = columns == 1;
  const int64_t dwords = row_dwords(plan), output_row = (int64_t)columns * c;
  const four_rows_fn run = four_row_variants[slowest_mode(blocks)];
  four_row_span span = {.output_row = output_row,
                        .rows_left = plan->output_rows,
                        .lanes = flat || left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1};
  const uint32_t *rows[AR_MAX_DEPTHWISE_GROUPS + 1];
  for (int32_t g = 0; g < plan->groups; ++g) rows[g] = interleaved + g * dwords + block * 16;
  if (one_column) {
    span.count = (plan->output_rows + 3) / 4;
    span.rows_step = 4;
    span.advance = dwords;
    span.output_advance = 4 * output_row;
    run(plan, rows, &span, weights, blocks, output);
    return;
  }
  span.count = flat ? columns * c / 64 : columns;
  span.advance = flat ? 64 : plan->stride_columns * c;
  span.output_advance = flat ? 64 : c;
  for (; span.rows_left > 0; span.rows_left -= 4, output += 4 * output_row) {
    run(plan, rows, &span, weights, blocks, output);
    for (int32_t g = 0; g < plan->groups; ++g) rows[g] += dwords;
  }
}

/* Units, of which four are done together. */
static int32_t units_done(const ar_depthwise *plan) { return is_flat(plan) ? 4 : plan->units; }

static void shift_all_weights(const ar_depthwise *plan, const int8_t *weights, int8_t *shifted) {
  const int64_t four = (int64_t)64 * 4 * plan->groups * plan->filter_columns;
  for (int32_t block = 0; block < units_done(plan); block += 4) {
    shift_weights(plan, weights, shifted);
    weights += four;
    shifted += shifted_bytes(plan);
  }
}

static void run_shifted(const ar_depthwise *plan, const image *input, const int8_t *weights,
                        const ar_requantize_block *blocks, int8_t *output, uint32_t *interleaved) {
  for (int64_t i = 0; i < rows_of_four(plan); ++i)
    interleave(plan, interleaved + i * row_dwords(plan), row_of(plan, input, 4 * i),
               row_of(plan, input, 4 * i + 1), row_of(plan, input, 4 * i + 2),
               row_of(plan, input, 4 * i + 3));
  ar_depthwise met = *plan;
  met.groups = groups_met(plan);
  for (int32_t block = 0; block < units_done(plan); block += 4, weights += shifted_bytes(plan))
    four_units(&met, interleaved, block, weights, blocks + block, output + block * 16);
}
