/* 3x3 filters with stride and dilation 1 over channels by 64: two rows of output at a time, column by
 * column. What four rows of a column hold is interleaved in registers, serves the three columns of
 * outputs that meet it, and never goes to memory. */
#include "depthwise_rows.h"

enum { WALK_BYTES = 3 * 2 * 4 * 64 /* of the weights of 64 channels */ };

static int walks(const ar_depthwise *plan) {
  return plan->filter_rows == 3 && plan->filter_columns == 3 && plan->stride_rows == 1 &&
         plan->stride_columns == 1 && plan->dilation_rows == 1 && plan->dilation_columns == 1 &&
         plan->channels % 64 == 0 && plan->output_columns > 1;
}

/* Sums of 64 channels in both rows: of the column that is done next, and of the one behind it. */
typedef struct {
  __m512i next[2][4], behind[2][4];
} walk_sums;

/* What all columns of two rows share. */
typedef struct {
  const ar_depthwise *plan;
  const int8_t *rows[4]; /* of the image, or of border */
  const int8_t *weights; /* [column][row][unit][64] */
  const ar_requantize_block *blocks;
} walk_rows;

/* Unpacking deals the dwords of a register's 128-bit lanes to four units, from which packing makes
 * bytes in order again. */
static int32_t walk_channel(const ar_depthwise *plan, int32_t lane) {
  const int32_t i = lane % 64;
  return walks(plan) ? lane - i + i % 16 / 4 * 16 + i / 16 * 4 + i % 4 : lane % plan->channels;
}

/* The sums of four such units as clamped bytes. */
AR_INLINE __m512i walk_pack(const __m512i *v, ar_bounds to) {
  const __m512i low = _mm512_set_epi16(62, 60, 58, 56, 30, 28, 26, 24, 54, 52, 50, 48, 22, 20, 18,
                                       16, 46, 44, 42, 40, 14, 12, 10, 8, 38, 36, 34, 32, 6, 4, 2,
                                       0);
  __m512i packed =
      to.bare ? _mm512_packs_epi16(_mm512_permutex2var_epi16(v[0], low, v[1]),
                                   _mm512_permutex2var_epi16(v[2], low, v[3]))
              : _mm512_packs_epi16(_mm512_packs_epi32(v[0], v[1]), _mm512_packs_epi32(v[2], v[3]));
  if (to.clamps) packed = _mm512_min_epi8(_mm512_max_epi8(packed, to.low), to.high);
  return packed;
}

/* The interleaved dwords of 64 channels of a column, which may lie beside the image. */
AR_INLINE void walk_load(const walk_rows *w, int32_t column, __m512i *taps) {
  const ar_staging *s = &w->plan->staging;
  const int32_t at = column * w->plan->channels - s->left_bytes;
  if (at < 0 || at >= s->row_bytes) {
    taps[0] = taps[1] = taps[2] = taps[3] = _mm512_set1_epi8((char)s->padding);
    return;
  }
  const __m512i flip = _mm512_set1_epi8(-128);
  const __m512i a = _mm512_xor_si512(_mm512_loadu_si512(w->rows[0] + at), flip);
  const __m512i b = _mm512_xor_si512(_mm512_loadu_si512(w->rows[1] + at), flip);
  const __m512i c = _mm512_xor_si512(_mm512_loadu_si512(w->rows[2] + at), flip);
  const __m512i d = _mm512_xor_si512(_mm512_loadu_si512(w->rows[3] + at), flip);
  const __m512i ab_low = _mm512_unpacklo_epi8(a, b), ab_high = _mm512_unpackhi_epi8(a, b);
  const __m512i cd_low = _mm512_unpacklo_epi8(c, d), cd_high = _mm512_unpackhi_epi8(c, d);
  taps[0] = _mm512_unpacklo_epi16(ab_low, cd_low);
  taps[1] = _mm512_unpackhi_epi16(ab_low, cd_low);
  taps[2] = _mm512_unpacklo_epi16(ab_high, cd_high);
  taps[3] = _mm512_unpackhi_epi16(ab_high, cd_high);
}

/* Takes a column of inputs to the up to three columns of outputs that meet it: those that are
 * DONE with it, the ones BEHIND, and the ones that BEGIN. */
AR_INLINE void walk_column(const int DONE, const int BEHIND, const int BEGIN, const int mode,
                           const walk_rows *w, int32_t column, walk_sums *sums,
                           const ar_bounds to, int8_t *upper, int8_t *lower) {
  __m512i taps[4], done[2][4];
  walk_load(w, column, taps);
#pragma clang loop unroll(full)
  for (int u = 0; u < 4; ++u) {
#pragma clang loop unroll(full)
    for (int r = 0; r < 2; ++r) {
      const int8_t *weights = w->weights + 64 * (4 * r + u);
      if (DONE)
        done[r][u] = _mm512_dpbusd_epi32(sums->next[r][u], taps[u],
                                         _mm512_load_si512(weights + 1024));
      if (BEHIND)
        sums->next[r][u] = _mm512_dpbusd_epi32(sums->behind[r][u], taps[u],
                                               _mm512_load_si512(weights + 512));
      if (BEGIN)
        sums->behind[r][u] = _mm512_dpbusd_epi32(_mm512_load_si512(w->blocks[u].bias), taps[u],
                                                 _mm512_load_si512(weights));
    }
    /* Both rows at once: their lines are loaded once. */
#pragma clang loop unroll(full)
    for (int r = 0; r < 2 && DONE; ++r)
      done[r][u] = requantize(mode, done[r][u], &w->blocks[u]);
  }
  if (!DONE) return;
  const int64_t x = (int64_t)(column - 2) * w->plan->channels;
  const __m512i packed = walk_pack(done[0], to);
  _mm512_storeu_si512(lower + x, walk_pack(done[1], to));
  _mm512_storeu_si512(upper + x, packed);
}

/* Two rows of 64 channels. */
AR_INLINE void walk(const int mode, const walk_rows *w, int8_t *upper, int8_t *lower) {
  const int32_t columns = w->plan->output_columns;
  const ar_bounds to = bounds_of(mode, w->plan);
  walk_sums sums;
  walk_column(0, 0, 1, mode, w, 0, &sums, to, upper, lower);
  walk_column(0, 1, 1, mode, w, 1, &sums, to, upper, lower);
  for (int32_t x = 2; x < columns; ++x)
    walk_column(1, 1, 1, mode, w, x, &sums, to, upper, lower);
  walk_column(1, 1, 0, mode, w, columns, &sums, to, upper, lower);
  walk_column(1, 0, 0, mode, w, columns + 1, &sums, to, upper, lower);
}

#define WALK(NAME, MODE)                                                      \
  static void NAME(const walk_rows *w, int8_t *upper, int8_t *lower) {        \
    walk(MODE, w, upper, lower);                                              \
  }
WALK(walk_0, AR_REQUANT_FLOAT)
WALK(walk_1, AR_REQUANT_SIGNED)
WALK(exact_walk, AR_REQUANT_INTEGER)
WALK(walk_5, AR_REQUANT_BARE)
typedef void (*walk_fn)(const walk_rows *, int8_t *, int8_t *);
static const walk_fn walk_variants[] = {walk_0,     walk_1,     exact_walk,
                                        exact_walk, exact_walk, walk_5};

/* Packed weights for both rows of output: those of the lower one begin a byte later. */
static void walk_arrange(const ar_depthwise *plan, const int8_t *packed, int8_t *arranged) {
  for (int32_t unit = 0; unit < plan->units; unit += 4)
    for (int column = 0; column < 3; ++column)
      for (int row = 0; row < 2; ++row)
        for (int u = 0; u < 4; ++u, arranged += 64) {
          const __m512i w = _mm512_load_si512(packed + 64 * (3 * (unit + u) + column));
          _mm512_store_si512(arranged, row ? _mm512_slli_epi32(w, 8) : w);
        }
}

static void walk_image(const ar_depthwise *plan, const image *input, const int8_t *weights,
                       const ar_requantize_block *blocks, int8_t *output, int8_t *unwanted) {
  const int32_t channels = plan->channels;
  const int64_t row = (int64_t)plan->output_columns * channels;
  for (int32_t y = 0; y < plan->output_rows; y += 2) {
    int8_t *upper = output + y * row;
    /* Below a last odd row there is none. */
    int8_t *lower = y + 1 == plan->output_rows ? unwanted : upper + row;
    for (int32_t c = 0; c < channels; c += 64) {
      const ar_requantize_block *b = blocks + c / 16;
      const walk_rows w = {plan,
                           {row_of(plan, input, y) + c, row_of(plan, input, y + 1) + c,
                            row_of(plan, input, y + 2) + c, row_of(plan, input, y + 3) + c},
                           weights + (int64_t)c / 64 * WALK_BYTES,
                           b};
      walk_variants[slowest_mode(b)](&w, upper + c, lower + c);
    }
  }
}
