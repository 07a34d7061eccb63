#define AR_PRODUCT(acc, x, w)                                                         \
  _mm512_castps_si512(_mm512_fmadd_ps(_mm512_castsi512_ps(x), _mm512_castsi512_ps(w), \
                                      _mm512_castsi512_ps(acc)))
#define AR_SUM(a, b) \
  _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)))
#include "gemm_tile.h"

AR_INLINE void tile(const int P, const int NB, const int taps, const ar_gemm *gemm,
                    const uint8_t *input, const int8_t *weights, const ar_requantize_block *blocks,
                    int32_t valid_channels, float *output) {
  __m512i acc[P][NB];
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) {
    __m512i bias = _mm512_load_si512(blocks[n].bias);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) acc[p][n] = bias;
  }
  products(P, NB, taps, gemm, input, weights, acc);
  const __m512 low = _mm512_set1_ps(gemm->low), high = _mm512_set1_ps(gemm->high);
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) {
    const int left = valid_channels - AR_BLOCK * n;
    if (left <= 0) return;
    const __mmask16 lanes = left >= AR_BLOCK ? 0xFFFF : (__mmask16)((1u << left) - 1);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) {
      /* The second operand is returned for NaN, as C's comparisons would have it. */
      __m512 y = _mm512_min_ps(high, _mm512_max_ps(low, _mm512_castsi512_ps(acc[p][n])));
      _mm512_mask_storeu_ps(output + (ptrdiff_t)p * gemm->channels + AR_BLOCK * n, lanes, y);
    }
  }
}

AR_TILES(const ar_requantize_block *)

ar_gemm_tile ar_gemm_float_tile_avx512(int positions, int blocks, int taps) {
  return AR_FIND_TILE(positions, blocks, taps);
}
