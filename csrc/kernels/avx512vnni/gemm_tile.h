/* The inner loop of a tile, for any product of a broadcast dword with 16 lanes of weights.
 *
 * Define AR_PRODUCT(acc, x, w) and AR_SUM(a, b) on __m512i before including this.
 */
#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#include "gemm.h"

#define AR_INLINE static inline __attribute__((always_inline))

/* The products of one dword of every position with NB vectors of weights. */
AR_INLINE void step(const int P, const int NB, __m512i acc[P][NB], const uint8_t *row,
                    ptrdiff_t stride, const int8_t *weights) {
  __m512i w[NB];
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) w[n] = _mm512_load_si512(weights + 64 * n);
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) {
    int32_t four;
    memcpy(&four, row + p * stride, 4);
    __m512i x = _mm512_set1_epi32(four);
#pragma clang loop unroll(full)
    for (int n = 0; n < NB; ++n) acc[p][n] = AR_PRODUCT(acc[p][n], x, w[n]);
  }
}

/* Small tiles sum in several sets of accumulators: a product takes four cycles, and two can
 * start in each. */
AR_INLINE void accumulate(const int P, const int NB, const ar_gemm *gemm, const uint8_t *input,
                          const int8_t *weights, __m512i acc[P][NB]) {
  const int SETS = P * NB >= 8 ? 1 : P * NB >= 4 ? 2 : 4;
  const ptrdiff_t stride = gemm->position_stride;
  const int dwords = gemm->dwords;
  __m512i more[SETS][P][NB];
#pragma clang loop unroll(full)
  for (int s = 1; s < SETS; ++s)
#pragma clang loop unroll(full)
    for (int i = 0; i < P * NB; ++i) more[s][i / NB][i % NB] = _mm512_setzero_si512();
  for (int s = 0; s < gemm->segments; ++s) {
    const uint8_t *row = input + gemm->segment[s];
    int k = 0;
    for (; k + SETS <= dwords; k += SETS, row += 4 * SETS, weights += 64 * NB * SETS) {
      step(P, NB, acc, row, stride, weights);
#pragma clang loop unroll(full)
      for (int i = 1; i < SETS; ++i)
        step(P, NB, more[i], row + 4 * i, stride, weights + 64 * NB * i);
    }
    for (; k < dwords; ++k, row += 4, weights += 64 * NB)
      step(P, NB, acc, row, stride, weights);
  }
#pragma clang loop unroll(full)
  for (int s = 1; s < SETS; ++s)
#pragma clang loop unroll(full)
    for (int i = 0; i < P * NB; ++i)
      acc[i / NB][i % NB] = AR_SUM(acc[i / NB][i % NB], more[s][i / NB][i % NB]);
}

/* For 16 channels, three taps side by side and stride 1: each broadcast serves the three
 * positions that see it. A segment's weights lie dword by dword, three taps each. */
AR_INLINE void accumulate_taps(const int P, const ar_gemm *gemm, const uint8_t *input,
                               const int8_t *weights, __m512i acc[P][1]) {
  const ptrdiff_t stride = gemm->position_stride;
  const int dwords = gemm->dwords / 3;
  for (int s = 0; s < gemm->segments; ++s) {
    const uint8_t *row = input + gemm->segment[s];
    for (int k = 0; k < dwords; ++k, row += 4, weights += 3 * 64) {
      const __m512i w0 = _mm512_load_si512(weights), w1 = _mm512_load_si512(weights + 64);
      const __m512i w2 = _mm512_load_si512(weights + 128);
#pragma clang loop unroll(full)
      for (int c = 0; c < P + 2; ++c) {
        int32_t four;
        memcpy(&four, row + c * stride, 4);
        const __m512i x = _mm512_set1_epi32(four);
        if (c < P) acc[c][0] = AR_PRODUCT(acc[c][0], x, w0);
        if (c >= 1 && c <= P) acc[c - 1][0] = AR_PRODUCT(acc[c - 1][0], x, w1);
        if (c >= 2) acc[c - 2][0] = AR_PRODUCT(acc[c - 2][0], x, w2);
      }
    }
  }
}

/* Calls the loop that suits a tile; `taps` is a constant. */
AR_INLINE void products(const int P, const int NB, const int taps, const ar_gemm *gemm,
                        const uint8_t *input, const int8_t *weights, __m512i acc[P][NB]) {
  if (taps)
    accumulate_taps(P, gemm, input, weights, acc);
  else
    accumulate(P, NB, gemm, input, weights, acc);
}

/* All tiles, and the table that finds them: call AR_TILES with the type of the blocks after
 * defining tile(P, NB, taps, gemm, input, weights, blocks, valid_channels, output). */
#define AR_TILE(P, NB, BLOCKS) AR_NAMED_TILE(tile_##P##x##NB, P, NB, 0, BLOCKS)
#define AR_NAMED_TILE(name, P, NB, TAPS, BLOCKS)                                               \
  static void name(const ar_gemm *gemm, const uint8_t *input, const int8_t *weights, \
                              BLOCKS blocks, int32_t valid_channels, void *output) {           \
    tile(P, NB, TAPS, gemm, input, weights, blocks, valid_channels, output);                   \
  }
#define AR_SIX_TILES(NB, B) \
  AR_TILE(1, NB, B) AR_TILE(2, NB, B) AR_TILE(3, NB, B) AR_TILE(4, NB, B) AR_TILE(5, NB, B) \
  AR_TILE(6, NB, B)
#define AR_TILES(B)                                                                            \
  AR_SIX_TILES(4, B)                                                                           \
  AR_SIX_TILES(2, B) AR_TILE(8, 2, B) AR_TILE(10, 2, B) AR_TILE(12, 2, B)                      \
  AR_TILE(1, 1, B) AR_TILE(2, 1, B) AR_TILE(4, 1, B) AR_TILE(8, 1, B) AR_TILE(12, 1, B)        \
  AR_TILE(16, 1, B)                                                                            \
  AR_NAMED_TILE(taps_8, 8, 1, 1, B) AR_NAMED_TILE(taps_12, 12, 1, 1, B)                        \
  AR_NAMED_TILE(taps_16, 16, 1, 1, B)                                                          \
  static const ar_gemm_tile ar_tap_tiles[17] = {[8] = taps_8, [12] = taps_12, [16] = taps_16}; \
  static const ar_gemm_tile ar_tiles[5][17] = {                                                \
      [4] = {[1] = tile_1x4, tile_2x4, tile_3x4, tile_4x4, tile_5x4, tile_6x4},                \
      [2] = {[1] = tile_1x2, tile_2x2, tile_3x2, tile_4x2, tile_5x2, tile_6x2, [8] = tile_8x2, \
             [10] = tile_10x2, [12] = tile_12x2},                                              \
      [1] = {[1] = tile_1x1, tile_2x1, [4] = tile_4x1, [8] = tile_8x1, [12] = tile_12x1,       \
             [16] = tile_16x1},                                                                \
  };
#define AR_FIND_TILE(positions, blocks, taps)                                         \
  ((blocks) > 4 || (positions) > 16 ? 0                                               \
   : (taps)                         ? ((blocks) == 1 ? ar_tap_tiles[positions] : 0)   \
                                    : ar_tiles[blocks][positions])
