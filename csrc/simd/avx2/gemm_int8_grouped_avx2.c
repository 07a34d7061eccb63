/* Tiles of grouped bytes: see ../grouped.h. */
#include "convolution/grouped.h"

#include "isa.h"
#include "lanes.h"

#define AR_IN_FLIGHT 1
#include "simd/templates/gemm_int8.h"

enum { MOST_POSITIONS = 6 /* with four vectors of weights, ones and sums */ };

/* G dwords of every position with their weights, for H halves of a block. */
AR_INLINE void add_group(const int G, const int P, const int H, const uint8_t *input,
                         ptrdiff_t stride, const int32_t *offset, const int8_t *weights,
                         __m256i *acc) {
  const __m256i ones = _mm256_set1_epi16(1);
#pragma clang loop unroll(full)
  for (int h = 0; h < H; ++h) {
    __m256i w[4];
#pragma clang loop unroll(full)
    for (int g = 0; g < G; ++g)
      w[g] = _mm256_load_si256((const __m256i *)(weights + 64 * g + 32 * h));
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) {
      const uint8_t *x = input + p * stride;
      __m256i sum = _mm256_maddubs_epi16(ar_load_word(x + offset[0]), w[0]);
#pragma clang loop unroll(full)
      for (int g = 1; g < G; ++g)
        sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(ar_load_word(x + offset[g]), w[g]));
      acc[p * H + h] = _mm256_add_epi32(acc[p * H + h], _mm256_madd_epi16(sum, ones));
    }
  }
}

AR_INLINE void add_groups(const int P, const int H, const ar_grouped *header, const uint8_t *input,
                          ptrdiff_t stride, const int8_t *weights, __m256i *acc) {
  const int32_t *offset = header->offset;
  for (int i = 0; i < header->groups[0]; ++i, offset += 4, weights += 4 * 64)
    add_group(4, P, H, input, stride, offset, weights, acc);
  for (int i = 0; i < header->groups[1]; ++i, offset += 2, weights += 2 * 64)
    add_group(2, P, H, input, stride, offset, weights, acc);
  for (int i = 0; i < header->groups[2]; ++i, offset += 1, weights += 64)
    add_group(1, P, H, input, stride, offset, weights, acc);
}

/* One position takes both halves at once; more leave no registers for that. */
AR_INLINE void grouped_tile(const int P, const ar_gemm *gemm, const uint8_t *input,
                            const int8_t *packed, const ar_requantize_block *block,
                            int32_t valid_channels, int8_t *output) {
  const ar_grouped *header = (const ar_grouped *)packed;
  const int8_t *weights = packed + ar_grouped_header(gemm->entries);
  const int H = P == 1 ? 2 : 1;
  ar_i32 acc[P];
  for (int first = 0; first < 2; first += H) {
    __m256i sums[MOST_POSITIONS];
#pragma clang loop unroll(full)
    for (int i = 0; i < P * H; ++i)
      sums[i] = _mm256_load_si256((const __m256i *)block->bias + first + i % H);
    add_groups(P, H, header, input, gemm->position_stride, weights + 32 * first, sums);
#pragma clang loop unroll(full)
    for (int i = 0; i < P * H; ++i) acc[i / H].half[first + i % H] = sums[i];
  }
  finish(P, 1, gemm, acc, block, valid_channels, output);
}

#define TILES(T) T(1) T(2) T(3) T(4) T(5) T(6)
#define TILE(P)                                                                            \
  static void grouped_##P(const ar_gemm *gemm, const uint8_t *input, const int8_t *packed, \
                          const ar_requantize_block *block, int32_t valid_channels,        \
                          void *output) {                                                  \
    grouped_tile(P, gemm, input, packed, block, valid_channels, output);                   \
  }
#define TILE_ENTRY(P) [P] = grouped_##P,
TILES(TILE)
static const ar_gemm_tile grouped_tiles[AR_MAX_TILE_POSITIONS + 1] = {TILES(TILE_ENTRY)};

ar_gemm_tile ar_gemm_tile_grouped_avx2(int positions, int blocks, int taps) {
  return taps || blocks != 1 || positions > AR_MAX_TILE_POSITIONS ? 0 : grouped_tiles[positions];
}
