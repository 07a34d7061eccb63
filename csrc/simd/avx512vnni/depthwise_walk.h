/* 3x3 filters with stride and dilation 1 over channels by 64: two rows of output at a time, column by
 * column. What four rows of a column hold is interleaved in registers, serves the three columns of
 * outputs that meet it, and never goes to memory. */
#include "depthwise_rows.h"

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
  const int8_t *weights; /* [unit][column][64] */
  const ar_requantize_block *blocks;
} walk_rows;

/* What four rows of a column hold of 64 channels, in pairs of units: [rows 0 and 1 or 2 and 3][half]. The
 * column may lie beside the image. */
typedef struct {
  __m512i pairs[2][2];
} walk_bytes;

AR_INLINE walk_bytes walk_load(const walk_rows *w, int32_t column) {
  const ar_staging *s = &w->plan->staging;
  const int32_t at = column * w->plan->channels - s->left_bytes;
  if (at < 0 || at >= s->row_bytes) {
    const __m512i border = _mm512_set1_epi8((char)s->padding);
    return (walk_bytes){{{border, border}, {border, border}}};
  }
  const __m512i flip = _mm512_set1_epi8(-128);
  const __m512i a = _mm512_xor_si512(_mm512_loadu_si512(w->rows[0] + at), flip);
  const __m512i b = _mm512_xor_si512(_mm512_loadu_si512(w->rows[1] + at), flip);
  const __m512i c = _mm512_xor_si512(_mm512_loadu_si512(w->rows[2] + at), flip);
  const __m512i d = _mm512_xor_si512(_mm512_loadu_si512(w->rows[3] + at), flip);
  return (walk_bytes){{{_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b)},
                       {_mm512_unpacklo_epi8(c, d), _mm512_unpackhi_epi8(c, d)}}};
}

/* The sums of four such units, two by two, as clamped bytes. */
AR_INLINE __m512i walk_pack(const __m512i *v, ar_bounds to) {
  const __m512i packed = _mm512_packs_epi16(v[0], v[1]);
  return to.clamps ? _mm512_min_epi8(_mm512_max_epi8(packed, to.low), to.high) : packed;
}

/* Takes one unit's inputs of a column to the up to three columns of outputs that meet it: those that
 * are DONE with it, the ones BEHIND, and the ones that BEGIN. */
AR_INLINE void walk_unit(const int DONE, const int BEHIND, const int BEGIN, const int mode,
                         const walk_rows *w, const __m512i weights[4][3], const int u,
                         const __m512i taps, walk_sums *sums, __m512i done[2]) {
  const ar_requantize_block *block = &w->blocks[u];
  /* The lower row's taps are those of the upper one, a row further down. */
  const __m512i seen[2] = {taps, _mm512_srli_epi32(taps, 8)};
#pragma clang loop unroll(full)
  for (int r = 0; r < 2; ++r) {
    if (DONE)
      done[r] =
          requantize(mode, _mm512_dpbusd_epi32(sums->next[r][u], seen[r], weights[u][2]), block);
    if (BEHIND) sums->next[r][u] = _mm512_dpbusd_epi32(sums->behind[r][u], seen[r], weights[u][1]);
    if (BEGIN)
      sums->behind[r][u] =
          _mm512_dpbusd_epi32(_mm512_load_si512(block->bias), seen[r], weights[u][0]);
  }
}

/* The same for a column of 64 channels. */
AR_INLINE void walk_column(const int DONE, const int BEHIND, const int BEGIN, const int mode,
                           const walk_rows *w, const __m512i weights[4][3], int32_t column,
                           walk_sums *sums, const ar_bounds to, int8_t *upper, int8_t *lower) {
  const walk_bytes bytes = walk_load(w, column);
  __m512i two[2][2];
#pragma clang loop unroll(full)
  for (int half = 0; half < 2; ++half) {
    const __m512i ab = bytes.pairs[0][half], cd = bytes.pairs[1][half];
    __m512i done[2][2];
    walk_unit(DONE, BEHIND, BEGIN, mode, w, weights, 2 * half, _mm512_unpacklo_epi16(ab, cd), sums,
              done[0]);
    walk_unit(DONE, BEHIND, BEGIN, mode, w, weights, 2 * half + 1, _mm512_unpackhi_epi16(ab, cd),
              sums, done[1]);
#pragma clang loop unroll(full)
    for (int r = 0; r < 2 && DONE; ++r) two[r][half] = _mm512_packs_epi32(done[0][r], done[1][r]);
  }
  if (!DONE) return;
  const int64_t x = (int64_t)(column - 2) * w->plan->channels;
  const __m512i packed = walk_pack(two[0], to);
  _mm512_storeu_si512(lower + x, walk_pack(two[1], to));
  _mm512_storeu_si512(upper + x, packed);
}

/* Two rows of 64 channels. */
AR_INLINE void walk(const int mode, const walk_rows *w, int8_t *upper, int8_t *lower) {
  const int32_t columns = w->plan->output_columns;
  const ar_bounds to = bounds_of(w->plan);
  walk_sums sums;
  __m512i taps[4][3];
#pragma clang loop unroll(full)
  for (int i = 0; i < 12; ++i) taps[i / 3][i % 3] = _mm512_load_si512(w->weights + 64 * i);
  walk_column(0, 0, 1, mode, w, taps, 0, &sums, to, upper, lower);
  walk_column(0, 1, 1, mode, w, taps, 1, &sums, to, upper, lower);
  for (int32_t x = 2; x < columns; ++x)
    walk_column(1, 1, 1, mode, w, taps, x, &sums, to, upper, lower);
  walk_column(1, 1, 0, mode, w, taps, columns, &sums, to, upper, lower);
  walk_column(1, 0, 0, mode, w, taps, columns + 1, &sums, to, upper, lower);
}

#define WALK(NAME, MODE)                                               \
  static void NAME(const walk_rows *w, int8_t *upper, int8_t *lower) { \
    walk(MODE, w, upper, lower);                                       \
  }
WALK(walk_0, AR_REQUANT_FLOAT)
WALK(walk_1, AR_REQUANT_SIGNED)
WALK(exact_walk, AR_REQUANT_INTEGER)
WALK(walk_5, AR_REQUANT_BARE)
typedef void (*walk_fn)(const walk_rows *, int8_t *, int8_t *);
static const walk_fn walk_variants[] = {walk_0, walk_1, exact_walk, exact_walk, exact_walk, walk_5};

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
                           weights + (int64_t)c / 64 * UNPACKED_BYTES,
                           b};
      walk_variants[slowest_mode(b)](&w, upper + c, lower + c);
    }
  }
}
