/* int8 convolutions at Winograd's points with pairs of int16: see convolution/winograd_conv_2d.h.
 * Stride 1 alone: with stride 2, products of int16 at half the rate take longer than those they
 * replace. */
#include "isa.h"
#include "lanes.h"

#define AR_WITHOUT_REALS
#define AR_IN_FLIGHT 1
#include "simd/templates/gemm_int8.h"

enum { STRIDES = 1, MOST_TILES = AR_WINOGRAD_TILES, POINTS = 6, VALUES = POINTS * POINTS };

typedef __m512i int32s;
AR_INLINE int32s plus(int32s a, int32s b) { return _mm512_add_epi32(a, b); }
AR_INLINE int32s minus(int32s a, int32s b) { return _mm512_sub_epi32(a, b); }
AR_INLINE int32s times(int32s a, int power) { return _mm512_slli_epi32(a, power); }

#include "simd/templates/winograd_int16s.h"
#include "simd/templates/winograd_int8.h"

/* -- products ---------------------------------------------------------------------------------- */

/* P tiles at all points with 16 filters; products: [tile][point][16 filters]. */
AR_INLINE void multiply(const int P, const ar_winograd *w, const uint8_t *values,
                        const int8_t *weights, int32_t *products) {
  const ptrdiff_t stride = w->gemm.position_stride;
  const int dwords = w->gemm.dwords;
  for (int point = 0; point < VALUES; ++point, products += AR_BLOCK) {
    __m512i acc[P];
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) acc[p] = _mm512_setzero_si512();
    for (int k = 0; k < dwords; ++k, values += 4, weights += 64) {
      const __m512i here = _mm512_load_si512(weights);
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p)
        acc[p] = _mm512_dpwssd_epi32(acc[p], ar_load_word(values + p * stride), here);
    }
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) ar_save_i32(products + AR_BLOCK * VALUES * p, acc[p]);
  }
}

MULTIPLY(1)
MULTIPLY(2)
MULTIPLY(3)
MULTIPLY(4)
MULTIPLY(5)
MULTIPLY(6)
MULTIPLY(7)
MULTIPLY(8)
static const multiply_fn multiply_variants[MOST_TILES + 1] = {0,          multiply_1, multiply_2,
                                                              multiply_3, multiply_4, multiply_5,
                                                              multiply_6, multiply_7, multiply_8};

/* -- and back ---------------------------------------------------------------------------------- */

/* One row of outputs. */
static __attribute__((noinline)) void finish_row(const ar_winograd *w, const __m512i *m,
                                                 const ar_requantize_block *block,
                                                 int32_t valid_channels, int8_t *output) {
  const __m512i ninth = _mm512_set1_epi32(AR_WINOGRAD_NINTH), bias = ar_load_i32(block->bias);
  ar_i32 acc[AR_WINOGRAD_OUT];
  from_six(m, acc);
#pragma clang loop unroll(full)
  for (int x = 0; x < AR_WINOGRAD_OUT; ++x)
    acc[x] = plus(_mm512_srai_epi32(_mm512_mullo_epi32(acc[x], ninth), 6), bias);
  finish(AR_WINOGRAD_OUT, 1, &w->gemm, acc, block, valid_channels, output);
}

/* 4x4 outputs of up to 16 filters. */
static void finish_tile(const ar_winograd *w, const int32_t *products,
                        const ar_requantize_block *block, int32_t valid_channels, int8_t *output) {
  const ptrdiff_t row = (ptrdiff_t)w->columns * w->gemm.channels;
  __m512i columns[AR_WINOGRAD_OUT][POINTS];
#pragma clang loop unroll(full)
  for (int x = 0; x < POINTS; ++x, products += AR_BLOCK) {
    __m512i m[POINTS], y[AR_WINOGRAD_OUT];
#pragma clang loop unroll(full)
    for (int i = 0; i < POINTS; ++i) m[i] = ar_load_i32(products + AR_BLOCK * POINTS * i);
    from_six(m, y);
#pragma clang loop unroll(full)
    for (int i = 0; i < AR_WINOGRAD_OUT; ++i) columns[i][x] = y[i];
  }
  for (int y = 0; y < AR_WINOGRAD_OUT; ++y, output += row)
    finish_row(w, columns[y], block, valid_channels, output);
}

#include "simd/templates/winograd_tiles.h"

void ar_winograd_avx512vnni(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                            const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  run_winograd(w, input, weights, blocks, output, workspace);
}
