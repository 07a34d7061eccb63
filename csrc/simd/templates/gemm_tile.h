/* The inner loop of a tile, for any product of a broadcast dword with 16 lanes of weights.
 *
 * Include an instruction set's lanes.h and define before this:
 * - AR_PRODUCT(acc, x, w) and AR_SUM(a, b) on ar_i32;
 * - AR_IN_FLIGHT, how many products into registers of their own must be under way to hide
 *   their latency;
 * - AR_TILES(T), which calls T(P, NB) for each tile of P positions and NB blocks of 16
 *   channels, and AR_TAP_TILES(T), which calls T(P).
 * With AR_LOAD_ONE(p) defined, tiles of one position load a word of theirs with it.
 * With AR_OWN_LOOPS defined, accumulate() is there already, and there are no tap tiles. With AR_STRIPS
 * defined, tiles have any number of positions of which AR_AT_ONCE, or one less, are a divisor.
 */
#include <stddef.h>

#include "convolution/gemm.h"

#ifndef AR_LOAD_ONE
#define AR_LOAD_ONE ar_load_word
#endif

#ifndef AR_OWN_LOOPS
/* The products of one dword of every position with NB blocks of weights; acc[p * NB + n]. */
AR_INLINE void step(const int P, const int NB, ar_i32 *acc, const uint8_t *row, ptrdiff_t stride,
                    const int8_t *weights) {
  ar_i32 w[NB];
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) w[n] = ar_load_i32(weights + 64 * n);
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) {
    const ar_word x = P == 1 ? AR_LOAD_ONE(row) : ar_load_word(row + p * stride);
#pragma clang loop unroll(full)
    for (int n = 0; n < NB; ++n) acc[p * NB + n] = AR_PRODUCT(acc[p * NB + n], x, w[n]);
  }
}

/* Small tiles sum in several sets of accumulators. */
AR_INLINE void accumulate(const int P, const int NB, const ar_gemm *gemm, const uint8_t *input,
                          const int8_t *weights, ar_i32 *acc) {
  const int ALL = P * NB, SETS = AR_SETS(ALL * AR_VECTORS, AR_IN_FLIGHT);
  const ptrdiff_t stride = gemm->position_stride;
  const int dwords = gemm->dwords;
  ar_i32 more[SETS][ALL];
#pragma clang loop unroll(full)
  for (int s = 1; s < SETS; ++s)
#pragma clang loop unroll(full)
    for (int i = 0; i < ALL; ++i) more[s][i] = ar_set_i32(0);
  for (int s = 0; s < gemm->segments; ++s) {
    const uint8_t *row = input + gemm->segment[s];
    int k = 0;
    for (; k + SETS <= dwords; k += SETS, row += 4 * SETS, weights += 64 * NB * SETS) {
      step(P, NB, acc, row, stride, weights);
#pragma clang loop unroll(full)
      for (int i = 1; i < SETS; ++i)
        step(P, NB, more[i], row + 4 * i, stride, weights + 64 * NB * i);
    }
    for (; k < dwords; ++k, row += 4, weights += 64 * NB) step(P, NB, acc, row, stride, weights);
  }
#pragma clang loop unroll(full)
  for (int s = 1; s < SETS; ++s)
#pragma clang loop unroll(full)
    for (int i = 0; i < ALL; ++i) acc[i] = AR_SUM(acc[i], more[s][i]);
}

/* For 16 channels, three taps side by side and stride 1: each broadcast serves the three
 * positions that see it. A segment's weights lie dword by dword, three taps each. */
AR_INLINE void accumulate_taps(const int P, const ar_gemm *gemm, const uint8_t *input,
                               const int8_t *weights, ar_i32 *acc) {
  const ptrdiff_t stride = gemm->position_stride;
  const int dwords = gemm->dwords / 3;
  for (int s = 0; s < gemm->segments; ++s) {
    const uint8_t *row = input + gemm->segment[s];
    for (int k = 0; k < dwords; ++k, row += 4, weights += 3 * 64) {
      const ar_i32 w0 = ar_load_i32(weights), w1 = ar_load_i32(weights + 64);
      const ar_i32 w2 = ar_load_i32(weights + 128);
#pragma clang loop unroll(full)
      for (int c = 0; c < P + 2; ++c) {
        const ar_word x = ar_load_word(row + c * stride);
        if (c < P) acc[c] = AR_PRODUCT(acc[c], x, w0);
        if (c >= 1 && c <= P) acc[c - 1] = AR_PRODUCT(acc[c - 1], x, w1);
        if (c >= 2) acc[c - 2] = AR_PRODUCT(acc[c - 2], x, w2);
      }
    }
  }
}

#endif

/* Starts from the bias and calls the loop that suits a tile; `taps` is a constant. */
AR_INLINE void products(const int P, const int NB, const int taps, const ar_gemm *gemm,
                        const uint8_t *input, const int8_t *weights,
                        const ar_requantize_block *blocks, ar_i32 *acc) {
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) {
    const ar_i32 bias = ar_load_i32(blocks[n].bias);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) acc[p * NB + n] = bias;
  }
#ifndef AR_OWN_LOOPS
  if (taps) {
    accumulate_taps(P, gemm, input, weights, acc);
    return;
  }
#endif
  (void)taps;
  accumulate(P, NB, gemm, input, weights, acc);
}

/* The positions of a tile that go through the registers at a time. */
#ifdef AR_STRIPS
#define AR_SOME(positions) ar_some_positions(AR_AT_ONCE, positions)
#else
#define AR_SOME(positions) (positions)
#endif

/* All tiles, and the function that finds them: call this after defining tile(P, NB, taps, gemm,
 * input, weights, blocks, valid_channels, output). */
#define AR_NAMED_TILE(NAME, P, NB, TAPS)                                                      \
  static void NAME(const ar_gemm *gemm, const uint8_t *input, const int8_t *weights,          \
                   const ar_requantize_block *blocks, int32_t valid_channels, void *output) { \
    tile(P, NB, TAPS, gemm, input, weights, blocks, valid_channels, output);                  \
  }
#define AR_TILE(P, NB) AR_NAMED_TILE(tile_##P##x##NB, P, NB, 0)
#define AR_TAP_TILE(P) AR_NAMED_TILE(taps_##P, P, 1, 1)
#define AR_TILE_ENTRY(P, NB) [NB][P] = tile_##P##x##NB,
#define AR_TAP_TILE_ENTRY(P) [0][P] = taps_##P,
#define AR_DEFINE_TILES(FINDER)                                                          \
  AR_TILES(AR_TILE)                                                                      \
  AR_TAP_TILES(AR_TAP_TILE)                                                              \
  static const ar_gemm_tile tiles[AR_MAX_TILE_BLOCKS + 1][AR_MAX_TILE_POSITIONS + 1] = { \
      AR_TILES(AR_TILE_ENTRY) AR_TAP_TILES(AR_TAP_TILE_ENTRY)};                          \
  ar_gemm_tile FINDER(int positions, int blocks, int taps) {                             \
    positions = AR_SOME(positions);                                                      \
    if (blocks > AR_MAX_TILE_BLOCKS || positions > AR_MAX_TILE_POSITIONS) return 0;      \
    return taps ? (blocks == 1 ? tiles[0][positions] : 0) : tiles[blocks][positions];    \
  }
