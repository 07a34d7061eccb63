#include "isa.h"
#include "lanes.h"

#include "depthwise_shift.h"
#include "depthwise_side.h"
#include "depthwise_slide.h"
#include "depthwise_stride.h"
#include "depthwise_walk.h"

/* A run of stores of four units: where they start and how far they are apart. */
typedef struct {
  int32_t count;
  int64_t advance;        /* in dwords of the interleaved row */
  int32_t output_advance; /* in bytes */
  int32_t base[4];        /* of each unit, in dwords */
  uint64_t lanes;         /* bytes of a store that are channels */
} row_span;

/* Four units at a time from a row of interleaved dwords; weights stay in registers. What the
 * loops need is copied first: the compiler must think that stores of bytes change anything. */
AR_INLINE void row_of_four(const int COLUMNS, const int mode, const ar_depthwise *plan,
                           const uint32_t *rows, const row_span *span, const int8_t *weights,
                           const ar_requantize_block *blocks, int8_t *output) {
  const row_span s = *span;
  const ar_bounds to = bounds_of(plan);
  const int32_t tap = plan->dilation_columns * plan->channels;
  __m512i w[4][COLUMNS], bias[4];
#pragma clang loop unroll(full)
  for (int u = 0; u < 4; ++u) {
    bias[u] = _mm512_load_si512(blocks[u].bias);
#pragma clang loop unroll(full)
    for (int k = 0; k < COLUMNS; ++k) w[u][k] = _mm512_load_si512(weights + 64 * (u * COLUMNS + k));
  }
  for (int32_t i = 0; i < s.count; ++i, rows += s.advance, output += s.output_advance) {
    __m512i acc[4];
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) acc[u] = bias[u];
#pragma clang loop unroll(full)
    for (int k = 0; k < COLUMNS; ++k)
#pragma clang loop unroll(full)
      for (int u = 0; u < 4; ++u)
        acc[u] =
            _mm512_dpbusd_epi32(acc[u], _mm512_loadu_si512(rows + s.base[u] + k * tap), w[u][k]);
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) acc[u] = requantize(mode, acc[u], &blocks[u]);
    _mm512_mask_storeu_epi8(output, s.lanes, ar_pack_four(acc, to));
  }
}

/* The same for any number of groups and filter columns, and units side by side: weights stay in
 * memory. */
AR_INLINE void row_of_four_groups(const int mode, const ar_depthwise *plan,
                                  const uint32_t *const *rows, const row_span *span,
                                  const int8_t *weights, const ar_requantize_block *blocks,
                                  int8_t *output) {
  const row_span s = *span;
  const ar_bounds to = bounds_of(plan);
  const int32_t groups = plan->groups, columns = plan->filter_columns;
  const int64_t tap = (int64_t)plan->dilation_columns * plan->channels;
  const int64_t unit = (int64_t)64 * groups * columns;
  int64_t at = s.base[0];
  for (int32_t i = 0; i < s.count; ++i, at += s.advance, output += s.output_advance) {
    __m512i acc[4];
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) acc[u] = _mm512_load_si512(blocks[u].bias);
    const int8_t *w = weights;
    for (int32_t g = 0; g < groups; ++g) {
      const uint32_t *row = rows[g] + at;
      for (int32_t k = 0; k < columns; ++k, w += 64, row += tap)
#pragma clang loop unroll(full)
        for (int u = 0; u < 4; ++u)
          acc[u] = _mm512_dpbusd_epi32(acc[u], _mm512_loadu_si512(row + 16 * u),
                                       _mm512_load_si512(w + u * unit));
    }
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) acc[u] = requantize(mode, acc[u], &blocks[u]);
    _mm512_mask_storeu_epi8(output, s.lanes, ar_pack_four(acc, to));
  }
}

static void interleave_taps(const ar_depthwise *plan, const image *input, int64_t row,
                            int32_t group, uint32_t *out) {
  const int8_t *taps[4];
  for (int t = 0; t < 4; ++t) {
    int32_t tap = 4 * group + t;
    if (tap >= plan->filter_rows) tap = 4 * group; /* its weight is zero */
    taps[t] = row_of(plan, input, row + (int64_t)tap * plan->dilation_rows);
  }
  interleave(plan, out, taps[0], taps[1], taps[2], taps[3]);
}

#define ROW(NAME, COLUMNS, MODE)                                                               \
  static void NAME(const ar_depthwise *plan, const uint32_t *rows, const row_span *span,       \
                   const int8_t *weights, const ar_requantize_block *blocks, int8_t *output) { \
    row_of_four(COLUMNS, MODE, plan, rows, span, weights, blocks, output);                     \
  }
ROW(row_1_0, 1, AR_REQUANT_FLOAT)
ROW(row_1_1, 1, AR_REQUANT_SIGNED)
ROW(exact_row_1, 1, AR_REQUANT_INTEGER)
ROW(row_1_5, 1, AR_REQUANT_BARE)
ROW(row_3_5, 3, AR_REQUANT_BARE)
ROW(row_3_0, 3, AR_REQUANT_FLOAT)
ROW(row_3_1, 3, AR_REQUANT_SIGNED)
ROW(exact_row_3, 3, AR_REQUANT_INTEGER)

#define GROUPS(MODE)                                                               \
  static void groups_##MODE(const ar_depthwise *plan, const uint32_t *const *rows, \
                            const row_span *span, const int8_t *weights,           \
                            const ar_requantize_block *blocks, int8_t *output) {   \
    row_of_four_groups(MODE, plan, rows, span, weights, blocks, output);           \
  }
GROUPS(0)
GROUPS(1)
GROUPS(2)
GROUPS(5)

typedef void (*groups_fn)(const ar_depthwise *, const uint32_t *const *, const row_span *,
                          const int8_t *, const ar_requantize_block *, int8_t *);
static const groups_fn group_variants[] = {groups_0, groups_1, groups_2,
                                           groups_2, groups_2, groups_5};

typedef void (*row_fn)(const ar_depthwise *, const uint32_t *, const row_span *, const int8_t *,
                       const ar_requantize_block *, int8_t *);
static const row_fn row_variants[2][6] = {
    {row_1_0, row_1_1, exact_row_1, exact_row_1, exact_row_1, row_1_5},
    {row_3_0, row_3_1, exact_row_3, exact_row_3, exact_row_3, row_3_5}};

/* All channels of a row of output. */
static void fours(const ar_depthwise *plan, const uint32_t *const *rows, const int8_t *weights,
                  const ar_requantize_block *blocks, int8_t *output) {
  const int32_t c = plan->channels, flat = is_flat(plan), count = plan->output_columns;
  const int32_t step = plan->stride_columns * c;
  const int32_t units = flat ? 4 : plan->units;
  for (int32_t block = 0; block < units; block += 4) {
    row_span span = {.count = flat ? count * c / 64 : count,
                     .advance = flat ? 64 * plan->stride_columns : step,
                     .output_advance = flat ? 64 : c};
    const int32_t left = c - block * 16;
    span.lanes = flat || left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
    for (int u = 0; u < 4; ++u)
      span.base[u] =
          !flat || plan->stride_columns == 1 ? (block + u) * 16 : u * 16 / c * step + u * 16 % c;
    const int8_t *w = weights + (int64_t)64 * block * plan->groups * plan->filter_columns;
    const int32_t mode = slowest_mode(blocks + block);
    if (is_small(plan))
      row_variants[plan->filter_columns == 3][mode](plan, rows[0], &span, w, blocks + block,
                                                    output + block * 16);
    else group_variants[mode](plan, rows, &span, w, blocks + block, output + block * 16);
  }
}

int64_t ar_depthwise_workspace_avx512vnni(const ar_depthwise *plan) {
  const int64_t row = row_dwords(plan) * 4, border = border_bytes(plan);
  /* An output row that nobody wants, and an interleaved row. */
  const int64_t unwanted = ((int64_t)plan->output_columns * plan->channels + 63) / 64 * 64;
  if (walks(plan) || lies_side_by_side(plan)) return border + unwanted;
  if (strides(plan)) return border;
  if (slides(plan)) return border + row + unwanted;
  if (!shifts_weights(plan)) return border + row * plan->groups;
  return border + row * rows_of_four(plan);
}

int32_t ar_depthwise_channel_avx512vnni(const ar_depthwise *plan, int32_t lane) {
  const int unpacked = walks(plan) || strides(plan) || lies_side_by_side(plan);
  return (unpacked ? unpacked_byte(lane) : lane) % plan->channels;
}

int64_t ar_depthwise_arranged_bytes_avx512vnni(const ar_depthwise *plan) {
  if (walks(plan) || strides(plan) || lies_side_by_side(plan) || slides(plan)) return 0;
  if (!shifts_weights(plan)) return 0;
  return shifted_bytes(plan) * (units_done(plan) / 4);
}

void ar_depthwise_arrange_avx512vnni(const ar_depthwise *plan, const int8_t *packed,
                                     int8_t *arranged) {
  shift_all_weights(plan, packed, arranged);
}

void ar_depthwise_avx512vnni(const ar_depthwise *plan, const uint8_t *bytes, const int8_t *weights,
                             const ar_requantize_block *blocks, int8_t *output,
                             uint8_t *workspace) {
  const image input = {(const int8_t *)bytes, (const int8_t *)workspace};
  memset(workspace, plan->staging.padding ^ 0x80, (size_t)plan->staging.row_bytes);
  uint32_t *interleaved = (uint32_t *)(workspace + border_bytes(plan));
  if (walks(plan)) {
    walk_image(plan, &input, weights, blocks, output, (int8_t *)interleaved);
    return;
  }
  if (lies_side_by_side(plan)) {
    side_image(plan, &input, weights, blocks, output, (int8_t *)interleaved);
    return;
  }
  if (strides(plan)) {
    stride_image(plan, &input, weights, blocks, output);
    return;
  }
  if (slides(plan)) {
    slide(plan, &input, weights, blocks, output, interleaved);
    return;
  }
  if (shifts_weights(plan)) {
    run_shifted(plan, &input, weights, blocks, output, interleaved);
    return;
  }
  const int64_t dwords = row_dwords(plan);
  const uint32_t *rows[AR_MAX_DEPTHWISE_GROUPS];
  for (int32_t g = 0; g < plan->groups; ++g) rows[g] = interleaved + g * dwords;
  for (int32_t y = 0; y < plan->output_rows; ++y) {
    for (int32_t g = 0; g < plan->groups; ++g)
      interleave_taps(plan, &input, (int64_t)y * plan->stride_rows, g, interleaved + g * dwords);
    int8_t *out = output + (int64_t)y * plan->output_columns * plan->channels;
    fours(plan, rows, weights, blocks, out);
  }
}
