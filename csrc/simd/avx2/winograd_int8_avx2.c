/* Winograd convolutions with pairs of int16: see convolution/winograd_conv_2d.h. */
#include "isa.h"
#include "lanes.h"

#define AR_WITHOUT_REALS
#define AR_IN_FLIGHT 1 /* the products are independent, and sums take a cycle */
#include "simd/templates/gemm_int8.h"

enum { STRIDES = 2, MOST_TILES = 6 /* in registers together */ };

typedef __m256i int32s;
AR_INLINE int32s plus(int32s a, int32s b) { return _mm256_add_epi32(a, b); }
AR_INLINE int32s minus(int32s a, int32s b) { return _mm256_sub_epi32(a, b); }
AR_INLINE int32s times(int32s a, int power) { return _mm256_slli_epi32(a, power); }

#include "simd/templates/winograd_int16s.h"
#include "simd/templates/winograd_int8.h"

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

#include "simd/templates/winograd_tiles.h"

void ar_winograd_avx2(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                      const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  run_winograd(w, input, weights, blocks, output, workspace);
}
