#include "isa.h"
#include "lanes.h"

#include "../simd/requantize.h"

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
static void interleave(const ar_depthwise *plan, uint32_t *out, const int8_t *r0,
                       const int8_t *r1, const int8_t *r2, const int8_t *r3) {
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
    store_interleaved(
        inside + i, _mm512_maskz_loadu_epi8(rest, r0 + i), _mm512_maskz_loadu_epi8(rest, r1 + i),
        _mm512_maskz_loadu_epi8(rest, r2 + i), _mm512_maskz_loadu_epi8(rest, r3 + i));
  }
  store_border(plan, out + right, s->staged_row_bytes - right);
}

AR_INLINE __m512i requantize(const int mode, __m512i acc, const ar_requantize_block *block) {
  __m512 scale = _mm512_load_ps(block->scale), offset = _mm512_load_ps(block->offset);
  if (mode == AR_REQUANT_FLOAT) return ar_on_line(acc, scale, offset);
  if (mode == AR_REQUANT_SIGNED)
    return ar_on_signed_line(acc, scale, offset, _mm512_load_ps(block->negative_offset));
  return ar_requantize_exact(acc, block);
}

AR_INLINE ar_bounds bounds_of(const ar_depthwise *plan) {
  return ar_set_bounds(plan->activation_min, plan->activation_max);
}

/* Packs four vectors of outputs to 64 bytes in order, clamped. */
AR_INLINE __m512i pack_four(ar_bounds to, const __m512i *acc) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  __m512i packed =
      _mm512_packs_epi16(_mm512_packs_epi32(acc[0], acc[1]), _mm512_packs_epi32(acc[2], acc[3]));
  packed = _mm512_permutexvar_epi32(order, packed);
  if (to.clamps) packed = _mm512_min_epi8(_mm512_max_epi8(packed, to.low), to.high);
  return packed;
}

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
    for (int k = 0; k < COLUMNS; ++k)
      w[u][k] = _mm512_load_si512(weights + 64 * (u * COLUMNS + k));
  }
  for (int32_t i = 0; i < s.count; ++i, rows += s.advance, output += s.output_advance) {
    __m512i acc[4];
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) acc[u] = bias[u];
#pragma clang loop unroll(full)
    for (int k = 0; k < COLUMNS; ++k)
#pragma clang loop unroll(full)
      for (int u = 0; u < 4; ++u)
        acc[u] = _mm512_dpbusd_epi32(acc[u], _mm512_loadu_si512(rows + s.base[u] + k * tap),
                                     w[u][k]);
#pragma clang loop unroll(full)
    for (int u = 0; u < 4; ++u) acc[u] = requantize(mode, acc[u], &blocks[u]);
    _mm512_mask_storeu_epi8(output, s.lanes, pack_four(to, acc));
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
    _mm512_mask_storeu_epi8(output, s.lanes, pack_four(to, acc));
  }
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
      const __m512i packed = pack_four(to, acc[r]);
      if (r < s.rows_left) _mm512_mask_storeu_epi8(output + r * s.output_row, s.lanes, packed);
    }
    s.rows_left -= s.rows_step;
  }
}

enum { SLIDE_UNITS = 6 }; /* whose sums, weights and taps fit in the registers */

/* Unit `lane` of four. */
AR_INLINE void store_unit(const int lane, int8_t *out, __m512i packed) {
  const __m128i unit =
      lane == 0   ? _mm512_castsi512_si128(packed)
      : lane == 1 ? _mm512_extracti32x4_epi32(packed, 1)
      : lane == 2 ? _mm512_extracti32x4_epi32(packed, 2)
                  : _mm512_extracti32x4_epi32(packed, 3);
  _mm_storeu_si128((__m128i *)out, unit);
}

/* Units of both rows, `step` bytes apart, packed in fours. */
AR_INLINE void store_units(const int UNITS, const ar_bounds to,
                           const __m512i acc[2][SLIDE_UNITS], int64_t step, int8_t *upper,
                           int8_t *lower) {
#pragma clang loop unroll(full)
  for (int x = 0; x < UNITS; x += 2) {
    const __m512i four[4] = {acc[0][x], acc[1][x], acc[0][x + 1], acc[1][x + 1]};
    const __m512i packed = pack_four(to, four);
#pragma clang loop unroll(full)
    for (int i = 0; i < 4 && x + i / 2 < UNITS; ++i)
      store_unit(i, (i % 2 ? lower : upper) + (x + i / 2) * step, packed);
  }
}

/* Two output rows and up to SLIDE_UNITS units of them, for 3x3 filters with stride and dilation 1:
 * each interleaved vector is loaded once and serves six products. `w` holds the taps of rows
 * 0..2 for the upper output row; shifted by a byte they serve the lower one. A unit is 16
 * channels of one column, or RATIO whole columns of 16 / RATIO channels. */
AR_INLINE void slide_block(const int RATIO, const int UNITS, const int mode,
                           const ar_depthwise *plan, const uint32_t *row, const __m512i *w,
                           const ar_requantize_block *block, int8_t *upper, int8_t *lower) {
  const int32_t channels = plan->channels;
  const __m512i bias = _mm512_load_si512(block->bias);
  __m512i acc[2][SLIDE_UNITS];
#pragma clang loop unroll(full)
  for (int x = 0; x < SLIDE_UNITS; ++x) acc[0][x] = acc[1][x] = bias;
#pragma clang loop unroll(full)
  for (int c = 0; c < RATIO * (UNITS - 1) + 3; ++c) {
    __m512i taps = _mm512_loadu_si512(row + c * channels);
#pragma clang loop unroll(full)
    for (int k = 0; k < 3; ++k) {
      if (c < k || (c - k) % RATIO || (c - k) / RATIO >= UNITS) continue;
      int x = (c - k) / RATIO;
      acc[0][x] = _mm512_dpbusd_epi32(acc[0][x], taps, w[k]);
      acc[1][x] = _mm512_dpbusd_epi32(acc[1][x], taps, w[3 + k]);
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 2 * UNITS; ++i)
    acc[i % 2][i / 2] = requantize(mode, acc[i % 2][i / 2], block);
  ar_bounds to = bounds_of(plan);
  if (to.clamps) {
    to.clamps = 1;
    store_units(UNITS, to, acc, RATIO * channels, upper, lower);
    return;
  }
  to.clamps = 0;
  store_units(UNITS, to, acc, RATIO * channels, upper, lower);
}

/* A row in parts of about the same size: the first `larger` have a unit more than `size`. */
typedef struct {
  int32_t count, size, larger;
} row_parts;

static row_parts parts_of(int32_t units) {
  const int32_t count = (units + SLIDE_UNITS - 1) / SLIDE_UNITS;
  return (row_parts){count, units / count, units % count};
}

AR_INLINE void slide_rows(const int RATIO, const int mode, const ar_depthwise *plan,
                          row_parts parts, const uint32_t *row, const int8_t *weights,
                          const ar_requantize_block *block, int8_t *upper, int8_t *lower) {
  const int32_t step = RATIO * plan->channels;
  __m512i w[6];
#pragma clang loop unroll(full)
  for (int k = 0; k < 3; ++k) {
    w[k] = _mm512_load_si512(weights + 64 * k);
    w[3 + k] = _mm512_slli_epi32(w[k], 8);
  }
#define SLIDE(UNITS)                                                                  \
  case UNITS:                                                                         \
    slide_block(RATIO, UNITS, mode, plan, row, w, block, upper, lower);               \
    break;
  for (int32_t i = 0; i < parts.count; ++i) {
    const int32_t units = parts.size + (i < parts.larger);
    switch (units) { SLIDE(1) SLIDE(2) SLIDE(3) SLIDE(4) SLIDE(5) SLIDE(6) }
    row += units * step;
    upper += units * step;
    lower += units * step;
  }
#undef SLIDE
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

/* Whether rows are interleaved once, four by four, and weights shifted for the three output rows
 * that do not begin with them. */
static int shifts_weights(const ar_depthwise *plan) {
  const int side_by_side = plan->stride_columns == 1 || !is_flat(plan);
  return (plan->groups > 1 || plan->filter_columns == 1) && plan->stride_rows == 1 &&
         plan->dilation_rows == 1 && plan->output_rows >= 3 && side_by_side;
}

/* Groups of four rows that four output rows meet. */
static int32_t groups_met(const ar_depthwise *plan) { return (plan->filter_rows + 3 + 3) / 4; }

/* Of the shifted weights of four units. */
static int64_t shifted_bytes(const ar_depthwise *plan) {
  return (int64_t)1024 * groups_met(plan) * plan->filter_columns;
}

/* Of an interleaved row, with room for stores and loads past its end. */
static int64_t row_dwords(const ar_depthwise *plan) {
  return ((int64_t)plan->row_bytes + 63) / 64 * 64 + 128;
}

static int64_t border_bytes(const ar_depthwise *plan) {
  return ((int64_t)plan->staging.row_bytes + 63) / 64 * 64;
}

/* Interleaved groups of four rows that all output rows together meet. */
static int64_t rows_of_four(const ar_depthwise *plan) {
  return ((int64_t)plan->output_rows + 3) / 4 + groups_met(plan) - 1;
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

#define ROW(NAME, COLUMNS, MODE)                                                             \
  static void NAME(const ar_depthwise *plan, const uint32_t *rows, const row_span *span,     \
                   const int8_t *weights, const ar_requantize_block *blocks, int8_t *output) { \
    row_of_four(COLUMNS, MODE, plan, rows, span, weights, blocks, output);                   \
  }
ROW(row_1_0, 1, AR_REQUANT_FLOAT)
ROW(row_1_1, 1, AR_REQUANT_SIGNED)
ROW(exact_row_1, 1, AR_REQUANT_INTEGER)
ROW(row_3_0, 3, AR_REQUANT_FLOAT)
ROW(row_3_1, 3, AR_REQUANT_SIGNED)
ROW(exact_row_3, 3, AR_REQUANT_INTEGER)

#define GROUPS(MODE)                                                                         \
  static void groups_##MODE(const ar_depthwise *plan, const uint32_t *const *rows,           \
                            const row_span *span, const int8_t *weights,                     \
                            const ar_requantize_block *blocks, int8_t *output) {             \
    row_of_four_groups(MODE, plan, rows, span, weights, blocks, output);                     \
  }
GROUPS(0)
GROUPS(1)
GROUPS(2)

typedef void (*groups_fn)(const ar_depthwise *, const uint32_t *const *, const row_span *,
                          const int8_t *, const ar_requantize_block *, int8_t *);
static const groups_fn group_variants[4] = {groups_0, groups_1, groups_2, groups_2};

typedef void (*row_fn)(const ar_depthwise *, const uint32_t *, const row_span *, const int8_t *,
                       const ar_requantize_block *, int8_t *);
static const row_fn row_variants[2][4] = {{row_1_0, row_1_1, exact_row_1, exact_row_1},
                                          {row_3_0, row_3_1, exact_row_3, exact_row_3}};

static int32_t slowest_mode(const ar_requantize_block *four_blocks) {
  int32_t mode = AR_REQUANT_FLOAT;
  for (int u = 0; u < 4; ++u)
    if (four_blocks[u].mode > mode) mode = four_blocks[u].mode;
  return mode;
}

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
      span.base[u] = !flat || plan->stride_columns == 1 ? (block + u) * 16
                                                        : u * 16 / c * step + u * 16 % c;
    const int8_t *w = weights + (int64_t)64 * block * plan->groups * plan->filter_columns;
    const int32_t mode = slowest_mode(blocks + block);
    if (is_small(plan))
      row_variants[plan->filter_columns == 3][mode](plan, rows[0], &span, w, blocks + block,
                                                    output + block * 16);
    else
      group_variants[mode](plan, rows, &span, w, blocks + block, output + block * 16);
  }
}

static int slides(const ar_depthwise *plan) {
  return plan->filter_rows == 3 && plan->filter_columns == 3 && plan->stride_rows == 1 &&
         plan->stride_columns == 1 && plan->dilation_rows == 1 && plan->dilation_columns == 1 &&
         (plan->channels % 16 == 0 || (plan->channels == 8 && plan->output_columns % 2 == 0));
}

int64_t ar_depthwise_workspace_avx512vnni(const ar_depthwise *plan) {
  const int64_t row = row_dwords(plan) * 4, border = border_bytes(plan);
  /* An interleaved row, and an output row that nobody wants. */
  if (slides(plan)) return border + row + (plan->output_columns * plan->channels + 63) / 64 * 64;
  if (!shifts_weights(plan)) return border + row * plan->groups;
  return border + shifted_bytes(plan) + row * rows_of_four(plan);
}

typedef void (*slide_fn)(const ar_depthwise *, row_parts, const uint32_t *, const int8_t *,
                         const ar_requantize_block *, int8_t *, int8_t *);
#define SLIDE_VARIANT(NAME, RATIO, MODE)                                                    \
  static void NAME(const ar_depthwise *plan, row_parts parts, const uint32_t *row,          \
                   const int8_t *weights, const ar_requantize_block *block, int8_t *upper,  \
                   int8_t *lower) {                                                         \
    slide_rows(RATIO, MODE, plan, parts, row, weights, block, upper, lower);                \
  }
SLIDE_VARIANT(slide_1_0, 1, AR_REQUANT_FLOAT)
SLIDE_VARIANT(slide_1_1, 1, AR_REQUANT_SIGNED)
SLIDE_VARIANT(exact_slide_1, 1, AR_REQUANT_INTEGER)
SLIDE_VARIANT(slide_2_0, 2, AR_REQUANT_FLOAT)
SLIDE_VARIANT(slide_2_1, 2, AR_REQUANT_SIGNED)
SLIDE_VARIANT(exact_slide_2, 2, AR_REQUANT_INTEGER)
static const slide_fn slide_variants[2][4] = {
    {slide_1_0, slide_1_1, exact_slide_1, exact_slide_1},
    {slide_2_0, slide_2_1, exact_slide_2, exact_slide_2}};

static void slide(const ar_depthwise *plan, const image *input, const int8_t *weights,
                  const ar_requantize_block *blocks, int8_t *output, uint32_t *row) {
  const int64_t output_row = (int64_t)plan->output_columns * plan->channels;
  const int32_t ratio = plan->channels == 8 ? 2 : 1;
  const slide_fn *slides_by_mode = slide_variants[ratio - 1];
  const row_parts parts = parts_of(plan->output_columns / ratio);
  for (int32_t y = 0; y < plan->output_rows; y += 2) {
    int8_t *upper = output + y * output_row;
    /* Below a last odd row there is none: what is computed for it goes to the workspace. */
    int odd = y + 1 == plan->output_rows;
    int8_t *lower = odd ? (int8_t *)(row + row_dwords(plan)) : upper + output_row;
    interleave(plan, row, row_of(plan, input, y), row_of(plan, input, y + 1),
               row_of(plan, input, y + 2), row_of(plan, input, y + 3));
    for (int32_t c = 0; c < plan->channels; c += 16) {
      const ar_requantize_block *block = &blocks[c / 16];
      const int8_t *w = weights + (int64_t)64 * 3 * (c / 16);
      slides_by_mode[block->mode](plan, parts, row + c, w, block, upper + c, lower + c);
    }
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

#define FOUR_ROWS(MODE)                                                                      \
  static void four_rows_##MODE(const ar_depthwise *plan, const uint32_t *const *rows,        \
                               const four_row_span *span, const int8_t *weights,             \
                               const ar_requantize_block *blocks, int8_t *output) {          \
    four_rows(MODE, plan, rows, span, weights, blocks, output);                              \
  }
FOUR_ROWS(0)
FOUR_ROWS(1)
FOUR_ROWS(2)
typedef void (*four_rows_fn)(const ar_depthwise *, const uint32_t *const *,
                             const four_row_span *, const int8_t *, const ar_requantize_block *,
                             int8_t *);
static const four_rows_fn four_row_variants[4] = {four_rows_0, four_rows_1, four_rows_2,
                                                  four_rows_2};

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

static void shift_and_run(const ar_depthwise *plan, const image *input, const int8_t *weights,
                          const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  int8_t *shifted = (int8_t *)workspace;
  uint32_t *interleaved = (uint32_t *)(workspace + shifted_bytes(plan));
  for (int64_t i = 0; i < rows_of_four(plan); ++i)
    interleave(plan, interleaved + i * row_dwords(plan), row_of(plan, input, 4 * i),
               row_of(plan, input, 4 * i + 1), row_of(plan, input, 4 * i + 2),
               row_of(plan, input, 4 * i + 3));
  ar_depthwise met = *plan;
  met.groups = groups_met(plan);
  const int64_t block_bytes = (int64_t)64 * plan->groups * plan->filter_columns;
  for (int32_t block = 0; block < (is_flat(plan) ? 4 : plan->units); block += 4) {
    shift_weights(plan, weights + block * block_bytes, shifted);
    four_units(&met, interleaved, block, shifted, blocks + block, output + block * 16);
  }
}

void ar_depthwise_avx512vnni(const ar_depthwise *plan, const uint8_t *bytes, const int8_t *weights,
                             const ar_requantize_block *blocks, int8_t *output,
                             uint8_t *workspace) {
  const image input = {(const int8_t *)bytes, (const int8_t *)workspace};
  memset(workspace, plan->staging.padding ^ 0x80, (size_t)plan->staging.row_bytes);
  uint32_t *interleaved = (uint32_t *)(workspace + border_bytes(plan));
  if (slides(plan)) {
    slide(plan, &input, weights, blocks, output, interleaved);
    return;
  }
  if (shifts_weights(plan)) {
    shift_and_run(plan, &input, weights, blocks, output, workspace + border_bytes(plan));
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
