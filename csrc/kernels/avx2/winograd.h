/* Convolutions by Winograd's minimal filtering: see ../winograd.h. Include lanes.h before. */
#include "../winograd.h"

#include "../simd/gemm_int8.h"

enum { MOST_TILES = 6 /* in registers together */ };

/* -- to the points ------------------------------------------------------------------------------ */

AR_INLINE __m256i add(__m256i a, __m256i b) { return _mm256_add_epi16(a, b); }
AR_INLINE __m256i subtract(__m256i a, __m256i b) { return _mm256_sub_epi16(a, b); }
AR_INLINE __m256i four_times(__m256i a) { return _mm256_slli_epi16(a, 2); }

/* Six inputs to the values at six points, sixteen channels of int16 at once. */
AR_INLINE void at_points(const __m256i *x, __m256i *v) {
  const __m256i even = subtract(x[4], four_times(x[2])), odd = subtract(x[3], four_times(x[1]));
  const __m256i even2 = subtract(x[4], x[2]), odd1 = subtract(x[3], x[1]), odd2 = add(odd1, odd1);
  v[0] = add(four_times(subtract(x[0], x[2])), even2);
  v[1] = add(even, odd);
  v[2] = subtract(even, odd);
  v[3] = add(even2, odd2);
  v[4] = subtract(even2, odd2);
  v[5] = subtract(subtract(x[5], x[3]), four_times(odd1));
}

/* Sixteen channels of one tile; the values of a point lie `depth` apart. */
AR_INLINE void transform_input(const uint8_t *input, ptrdiff_t row_bytes, ptrdiff_t depth,
                               int16_t *values) {
  __m256i vertical[AR_WINOGRAD_IN][AR_WINOGRAD_IN];
  for (int x = 0; x < AR_WINOGRAD_IN; ++x, input += depth) {
    __m256i column[AR_WINOGRAD_IN], v[AR_WINOGRAD_IN];
#pragma clang loop unroll(full)
    for (int y = 0; y < AR_WINOGRAD_IN; ++y)
      column[y] = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(input + y * row_bytes)));
    at_points(column, v);
#pragma clang loop unroll(full)
    for (int y = 0; y < AR_WINOGRAD_IN; ++y) vertical[y][x] = v[y];
  }
  for (int y = 0; y < AR_WINOGRAD_IN; ++y) {
    __m256i v[AR_WINOGRAD_IN];
    at_points(vertical[y], v);
#pragma clang loop unroll(full)
    for (int x = 0; x < AR_WINOGRAD_IN; ++x, values += depth)
      _mm256_storeu_si256((__m256i *)values, v[x]);
  }
}

/* -- products ----------------------------------------------------------------------------------- */

/* P tiles at all points with 16 filters; products: [tile][36 points][16 filters]. */
AR_INLINE void multiply(const int P, const ar_winograd *w, const uint8_t *values,
                        const int8_t *weights, int32_t *products) {
  const ptrdiff_t stride = w->gemm.position_stride;
  const int dwords = w->gemm.dwords;
  for (int point = 0; point < AR_WINOGRAD_POINTS; ++point) {
    ar_i32 acc[P];
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) acc[p] = ar_set_i32(0);
    for (int k = 0; k < dwords; ++k, weights += 64)
      step(P, 1, acc, values + 4 * k, stride, weights);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p)
      ar_save_i32(products + AR_BLOCK * AR_WINOGRAD_POINTS * p, acc[p]);
    values += 4 * dwords;
    products += AR_BLOCK;
  }
}

typedef void (*multiply_fn)(const ar_winograd *, const uint8_t *, const int8_t *, int32_t *);
#define MULTIPLY(P)                                                                           \
  static void multiply_##P(const ar_winograd *w, const uint8_t *values, const int8_t *weights, \
                           int32_t *products) {                                               \
    multiply(P, w, values, weights, products);                                                \
  }
MULTIPLY(1)
MULTIPLY(2)
MULTIPLY(3)
MULTIPLY(4)
MULTIPLY(5)
MULTIPLY(6)
static const multiply_fn multiply_variants[MOST_TILES + 1] = {
    0, multiply_1, multiply_2, multiply_3, multiply_4, multiply_5, multiply_6};

/* -- and back ----------------------------------------------------------------------------------- */

AR_INLINE __m256i plus(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
AR_INLINE __m256i minus(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }

/* Values at six points to four outputs, 24 times what they are. */
AR_INLINE void from_points(const __m256i *m, __m256i *y) {
  const __m256i sum1 = plus(m[1], m[2]), difference1 = minus(m[1], m[2]);
  const __m256i sum2 = plus(m[3], m[4]), difference2 = minus(m[3], m[4]);
  y[0] = plus(plus(m[0], sum1), sum2);
  y[1] = plus(difference1, plus(difference2, difference2));
  y[2] = plus(sum1, _mm256_slli_epi32(sum2, 2));
  y[3] = plus(plus(difference1, _mm256_slli_epi32(difference2, 3)),
              plus(m[5], plus(m[5], m[5])));
}

/* One column of a tile's products, for half a block. */
AR_INLINE void transform_column(const int32_t *products, __m256i *y) {
  __m256i m[AR_WINOGRAD_IN];
#pragma clang loop unroll(full)
  for (int i = 0; i < AR_WINOGRAD_IN; ++i)
    m[i] = _mm256_load_si256((const __m256i *)(products + AR_BLOCK * AR_WINOGRAD_IN * i));
  from_points(m, y);
}

/* One row of outputs, for half a block: the sums themselves. */
AR_INLINE void transform_row(const __m256i *m, __m256i bias, int half, ar_i32 *acc) {
  const __m256i ninth = _mm256_set1_epi32(AR_WINOGRAD_NINTH);
  __m256i y[AR_WINOGRAD_OUT];
  from_points(m, y);
#pragma clang loop unroll(full)
  for (int x = 0; x < AR_WINOGRAD_OUT; ++x)
    acc[x].half[half] = plus(_mm256_srai_epi32(_mm256_mullo_epi32(y[x], ninth), 6), bias);
}

/* 4x4 outputs of up to 16 filters. */
static void transform_output(const ar_winograd *w, const int32_t *products,
                             const ar_requantize_block *block, int32_t valid_channels,
                             int8_t *output) {
  __m256i columns[2][AR_WINOGRAD_OUT][AR_WINOGRAD_IN];
  for (int x = 0; x < AR_WINOGRAD_IN; ++x, products += AR_BLOCK) {
#pragma clang loop unroll(full)
    for (int h = 0; h < 2; ++h) {
      __m256i y[AR_WINOGRAD_OUT];
      transform_column(products + AR_BLOCK / 2 * h, y);
#pragma clang loop unroll(full)
      for (int i = 0; i < AR_WINOGRAD_OUT; ++i) columns[h][i][x] = y[i];
    }
  }
  const ar_i32 bias = ar_load_i32(block->bias);
  const ptrdiff_t row = (ptrdiff_t)w->columns * w->gemm.channels;
  for (int y = 0; y < AR_WINOGRAD_OUT; ++y, output += row) {
    ar_i32 acc[AR_WINOGRAD_OUT];
    transform_row(columns[0][y], bias.half[0], 0, acc);
    transform_row(columns[1][y], bias.half[1], 1, acc);
    finish(AR_WINOGRAD_OUT, 1, &w->gemm, acc, block, valid_channels, output);
  }
}

/* -- tiles -------------------------------------------------------------------------------------- */

/* The last row and column of tiles start early enough to be whole. */
typedef struct {
  int32_t y, x; /* of the first output */
} corner;

static corner corner_of(const ar_winograd *w, int32_t tile) {
  const int32_t y = tile / w->tile_columns * AR_WINOGRAD_OUT;
  const int32_t x = tile % w->tile_columns * AR_WINOGRAD_OUT;
  const int32_t last_y = w->rows - AR_WINOGRAD_OUT, last_x = w->columns - AR_WINOGRAD_OUT;
  return (corner){y < last_y ? y : last_y, x < last_x ? x : last_x};
}

/* All channels of one tile; the last vector starts early enough to be whole. */
static void transform_tile(const ar_winograd *w, const uint8_t *input, int16_t *values) {
  for (int32_t c = 0; c < w->depth; c += AR_WINOGRAD_DEPTH) {
    const int32_t first =
        c + AR_WINOGRAD_DEPTH > w->depth ? w->depth - AR_WINOGRAD_DEPTH : c;
    transform_input(input + first, w->row_bytes, w->depth, values + first);
  }
}

static void run_winograd(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                         const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  const int64_t tile_values = (int64_t)AR_WINOGRAD_POINTS * w->depth;
  const int64_t tile_products = AR_WINOGRAD_POINTS * AR_BLOCK;
  int16_t *values = (int16_t *)workspace;
  int32_t *products = (int32_t *)(workspace + ar_winograd_values_bytes(w->depth));
  const int32_t all = w->tile_rows * w->tile_columns;
  const int32_t strips = (all + AR_WINOGRAD_TILES - 1) / AR_WINOGRAD_TILES;
  const int32_t strip = (all + strips - 1) / strips; /* tiles of it */
  const int32_t times = (strip + MOST_TILES - 1) / MOST_TILES;
  const int32_t at_once = (strip + times - 1) / times;
  for (int32_t number = 0; number < all; number += strip) {
    /* The last of all start early enough to be as many. */
    const int32_t first = number + strip > all ? all - strip : number;
    for (int32_t t = 0; t < strip; ++t) {
      const corner at = corner_of(w, first + t);
      transform_tile(w, input + (ptrdiff_t)at.y * w->row_bytes + (ptrdiff_t)at.x * w->depth,
                     values + t * tile_values);
    }
    for (int32_t b = 0; b < w->blocks; ++b) {
      const int8_t *packed = weights + b * tile_values * 2 * AR_BLOCK;
      for (int32_t i = 0; i < strip; i += at_once) {
        const int32_t t = i + at_once > strip ? strip - at_once : i;
        multiply_variants[at_once](w, (const uint8_t *)(values + t * tile_values), packed,
                                   products + t * tile_products);
      }
      for (int32_t t = 0; t < strip; ++t) {
        const corner at = corner_of(w, first + t);
        const ptrdiff_t place = (ptrdiff_t)at.y * w->columns + at.x;
        transform_output(w, products + t * tile_products, &blocks[b],
                         w->gemm.channels - AR_BLOCK * b,
                         output + place * w->gemm.channels + AR_BLOCK * b);
      }
    }
  }
}
