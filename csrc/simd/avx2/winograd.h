/* Convolutions by Winograd's minimal filtering: see convolution/winograd_conv_2d.h. Include lanes.h before. */
#include "convolution/winograd_conv_2d.h"

#include "simd/templates/gemm_int8.h"

enum { MOST_TILES = 6 /* in registers together */ };

typedef __m256i int32s;
AR_INLINE int32s plus(int32s a, int32s b) { return _mm256_add_epi32(a, b); }
AR_INLINE int32s minus(int32s a, int32s b) { return _mm256_sub_epi32(a, b); }
AR_INLINE int32s times(int32s a, int power) { return _mm256_slli_epi32(a, power); }

#include "simd/templates/winograd_int16s.h"
#include "simd/templates/winograd_int8.h"

/* -- to the points ----------------------------------------------------------------------------- */

/* Inputs `step` apart to the values at the four finite points of five. */
AR_INLINE void at_four(const __m256i *x, int step, __m256i *v) {
  const __m256i x1 = x[step], x2 = x[2 * step], x3 = x[3 * step];
  const __m256i low = subtract(x3, x2), odd = twice(x1);
  v[3] = subtract(x3, x1);
  v[0] = add(twice(subtract(x[0], x2)), v[3]);
  v[1] = subtract(low, odd);
  v[2] = subtract(add(low, odd), twice(x2));
}

/* Nine inputs to those of the even ones at five points, and of the odd ones at four. */
AR_INLINE void at_five(const __m256i *x, __m256i *v) {
  at_four(x, 2, v);
  v[4] = subtract(subtract(x[8], x[4]), twice(v[3]));
  at_four(x + 1, 2, v + 5);
}

AR_INLINE void at_points(const int STRIDE, const __m256i *x, __m256i *v) {
  if (STRIDE == 1) at_six(x, v);
  else at_five(x, v);
}

/* Where a tile's value lies, in units of `depth`: value x of a row and y of a column, in the
 * order of at_points. Those of a point follow each other. */
AR_INLINE int place_of(const int STRIDE, int y, int x) {
  if (STRIDE == 1) return 6 * y + x;
  const int odd_y = y > 4, odd_x = x > 4, i = odd_y ? y - 5 : y, j = odd_x ? x - 5 : x;
  const int phases_y = i < 4 ? 2 : 1, phases_x = j < 4 ? 2 : 1;
  return 18 * i + 2 * phases_y * j + odd_y * phases_x + odd_x;
}

enum { MOST_INPUTS = 9 };

/* Sixteen channels of one tile. */
AR_INLINE void transform_input(const int STRIDE, const uint8_t *input, ptrdiff_t row_bytes,
                               ptrdiff_t depth, int16_t *values) {
  const int COUNT = STRIDE == 1 ? 6 : 9;
  __m256i columns[MOST_INPUTS][MOST_INPUTS];
  for (int x = 0; x < COUNT; ++x, input += depth) {
    __m256i column[MOST_INPUTS], v[MOST_INPUTS];
#pragma clang loop unroll(full)
    for (int y = 0; y < COUNT; ++y)
      column[y] = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(input + y * row_bytes)));
    at_points(STRIDE, column, v);
#pragma clang loop unroll(full)
    for (int y = 0; y < COUNT; ++y) columns[y][x] = v[y];
  }
  for (int y = 0; y < COUNT; ++y) {
    __m256i v[MOST_INPUTS];
    at_points(STRIDE, columns[y], v);
#pragma clang loop unroll(full)
    for (int x = 0; x < COUNT; ++x)
      _mm256_storeu_si256((__m256i *)(values + place_of(STRIDE, y, x) * depth), v[x]);
  }
}

/* -- products ---------------------------------------------------------------------------------- */

/* P tiles at all points with 16 filters; products: [tile][points][points][16 filters]. */
AR_INLINE void multiply(const int P, const ar_winograd *w, const uint8_t *values,
                        const int8_t *weights, int32_t *products) {
  const ptrdiff_t stride = w->gemm.position_stride;
  const ptrdiff_t tile = AR_BLOCK * w->points * w->points;
  for (int y = 0; y < w->points; ++y)
    for (int x = 0; x < w->points; ++x, products += AR_BLOCK) {
      const int dwords = w->gemm.dwords * w->phases[y] * w->phases[x];
      ar_i32 acc[MOST_TILES];
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) acc[p] = ar_set_i32(0);
      for (int k = 0; k < dwords; ++k, values += 4, weights += 64)
        step(P, 1, acc, values, stride, weights);
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) ar_save_i32(products + tile * p, acc[p]);
    }
}

MULTIPLY(1)
MULTIPLY(2)
MULTIPLY(3)
MULTIPLY(4)
MULTIPLY(5)
MULTIPLY(6)
static const multiply_fn multiply_variants[MOST_TILES + 1] = {
    0, multiply_1, multiply_2, multiply_3, multiply_4, multiply_5, multiply_6};

/* -- and back ---------------------------------------------------------------------------------- */

/* Values at the points to four outputs, 24 or 6 times what they are. */
AR_INLINE void from_points(const int STRIDE, const __m256i *m, __m256i *y) {
  if (STRIDE == 1) {
    from_six(m, y);
    return;
  }
  const __m256i sum = plus(m[1], m[2]), difference = minus(m[1], m[2]);
  y[0] = plus(plus(m[0], sum), m[3]);
  y[1] = plus(difference, times(m[3], 1));
  y[2] = plus(sum, times(m[3], 2));
  y[3] = plus(plus(difference, times(m[3], 3)), m[4]);
}

/* One column of a tile's products, for half a block. */
AR_INLINE void transform_column(const int STRIDE, const int32_t *products, __m256i *y) {
  const int POINTS = STRIDE == 1 ? 6 : 5;
  __m256i m[AR_WINOGRAD_MOST_POINTS];
#pragma clang loop unroll(full)
  for (int i = 0; i < POINTS; ++i)
    m[i] = _mm256_load_si256((const __m256i *)(products + AR_BLOCK * POINTS * i));
  from_points(STRIDE, m, y);
}

/* One row of outputs, for half a block: the sums themselves. */
AR_INLINE void transform_row(const int STRIDE, const __m256i *m, __m256i bias, int32_t *sums) {
  const __m256i ninth = _mm256_set1_epi32(AR_WINOGRAD_NINTH);
  const int SHIFT = STRIDE == 1 ? 6 : 2;
  __m256i y[AR_WINOGRAD_OUT];
  from_points(STRIDE, m, y);
#pragma clang loop unroll(full)
  for (int x = 0; x < AR_WINOGRAD_OUT; ++x) {
    const __m256i sum = _mm256_srai_epi32(_mm256_mullo_epi32(y[x], ninth), SHIFT);
    _mm256_store_si256((__m256i *)(sums + AR_BLOCK * x), plus(sum, bias));
  }
}

/* The sums of 4x4 outputs for half a block. */
AR_INLINE void transform_products(const int STRIDE, const int32_t *products, const int32_t *bias,
                                  int32_t *sums) {
  const int POINTS = STRIDE == 1 ? 6 : 5;
  const __m256i start = _mm256_load_si256((const __m256i *)bias);
  __m256i columns[AR_WINOGRAD_OUT][AR_WINOGRAD_MOST_POINTS];
  for (int x = 0; x < POINTS; ++x, products += AR_BLOCK) {
    __m256i y[AR_WINOGRAD_OUT];
    transform_column(STRIDE, products, y);
#pragma clang loop unroll(full)
    for (int i = 0; i < AR_WINOGRAD_OUT; ++i) columns[i][x] = y[i];
  }
  for (int y = 0; y < AR_WINOGRAD_OUT; ++y, sums += AR_WINOGRAD_OUT * AR_BLOCK)
    transform_row(STRIDE, columns[y], start, sums);
}

typedef struct {
  int32_t at[AR_WINOGRAD_OUT * AR_BLOCK];
} row_sums;

AR_INLINE void load_row(const row_sums *sums, ar_i32 *acc) {
#pragma clang loop unroll(full)
  for (int x = 0; x < AR_WINOGRAD_OUT; ++x) acc[x] = ar_load_i32(sums->at + AR_BLOCK * x);
}

/* Blocks that have channels without a line. */
static __attribute__((noinline)) void exact_rows(const ar_winograd *w, const row_sums *sums,
                                                 const ar_requantize_block *block,
                                                 int32_t valid_channels, int8_t *output) {
  const ptrdiff_t row = (ptrdiff_t)w->columns * w->gemm.channels;
  for (int y = 0; y < AR_WINOGRAD_OUT; ++y, output += row) {
    ar_i32 acc[AR_WINOGRAD_OUT];
    load_row(&sums[y], acc);
    finish(AR_WINOGRAD_OUT, 1, &w->gemm, acc, block, valid_channels, output);
  }
}

/* Blocks whose lines are all of one offset, or of two. */
AR_INLINE void line_rows(const int OFFSETS, const ar_winograd *w, const row_sums *sums,
                         const ar_requantize_block *block, int32_t valid_channels, int8_t *output) {
  ar_bounds to = ar_set_bounds((int8_t)w->gemm.low, (int8_t)w->gemm.high);
  to.clamps = 1; /* known when this is compiled */
  const ptrdiff_t row = (ptrdiff_t)w->columns * w->gemm.channels;
  for (int y = 0; y < AR_WINOGRAD_OUT; ++y, output += row) {
    ar_i32 acc[AR_WINOGRAD_OUT];
    load_row(&sums[y], acc);
    if (OFFSETS == 2) {
      const ar_f32 scale = ar_load_f32(block->scale), offset = ar_load_f32(block->offset);
      const ar_f32 negative = ar_load_f32(block->negative_offset);
#pragma clang loop unroll(full)
      for (int x = 0; x < AR_WINOGRAD_OUT; ++x)
        acc[x] = ar_on_signed_line(acc[x], scale, offset, negative);
    }
    store(AR_WINOGRAD_OUT, 1, OFFSETS == 1 ? AR_REQUANT_FLOAT : NO_LINES, to, &w->gemm, acc, block,
          valid_channels, output);
  }
}

/* 4x4 outputs of up to 16 filters. */
static void finish_tile(const ar_winograd *w, const int32_t *products,
                        const ar_requantize_block *block, int32_t valid_channels, int8_t *output) {
  _Alignas(64) row_sums sums[AR_WINOGRAD_OUT];
  for (int first = 0; first < AR_BLOCK; first += AR_BLOCK / 2)
    if (w->stride == 1)
      transform_products(1, products + first, block->bias + first, sums[0].at + first);
    else transform_products(2, products + first, block->bias + first, sums[0].at + first);
  if (block->mode == AR_REQUANT_FLOAT) line_rows(1, w, sums, block, valid_channels, output);
  else if (block->mode == AR_REQUANT_SIGNED) line_rows(2, w, sums, block, valid_channels, output);
  else exact_rows(w, sums, block, valid_channels, output);
}

/* -- tiles ------------------------------------------------------------------------------------- */

/* All channels of one tile; the last vector starts early enough to be whole. */
static void transform_tile(const ar_winograd *w, const uint8_t *input, int16_t *values) {
  for (int32_t c = 0; c < w->depth; c += AR_WINOGRAD_DEPTH) {
    const int32_t first = c + AR_WINOGRAD_DEPTH > w->depth ? w->depth - AR_WINOGRAD_DEPTH : c;
    if (w->stride == 1) transform_input(1, input + first, w->row_bytes, w->depth, values + first);
    else transform_input(2, input + first, w->row_bytes, w->depth, values + first);
  }
}

static void run_winograd(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                         const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  const int64_t tile_values = (int64_t)w->values * w->depth;
  const int64_t tile_products = AR_BLOCK * w->points * w->points;
  int16_t *values = (int16_t *)workspace;
  int32_t *products = (int32_t *)(workspace + ar_winograd_values_bytes(w));
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
      const ptrdiff_t pixel = (ptrdiff_t)at.y * w->row_bytes + (ptrdiff_t)at.x * w->depth;
      transform_tile(w, input + w->stride * pixel, values + t * tile_values);
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
        finish_tile(w, products + t * tile_products, &blocks[b], w->gemm.channels - AR_BLOCK * b,
                    output + place * w->gemm.channels + AR_BLOCK * b);
      }
    }
  }
}
