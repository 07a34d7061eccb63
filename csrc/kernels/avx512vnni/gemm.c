#include "gemm.h"

#define AR_PRODUCT(acc, x, w) _mm512_dpbusd_epi32(acc, x, w)
#define AR_SUM(a, b) _mm512_add_epi32(a, b)
#include "gemm_tile.h"
#include "requantize.h"

/* dword (p * 4 + lane) of the result is dword (lane * 4 + p) of the packed accumulators. */
AR_INLINE __m512i transpose_4x4(__m512i packed) {
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, packed);
}

/* Packs four vectors of outputs to 64 bytes, clamps and stores them in order. */
AR_INLINE void store_four(int8_t *output, __m512i a, __m512i b, __m512i c, __m512i d,
                          __m512i low, __m512i high) {
  __m512i packed = _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
  packed = _mm512_min_epi8(_mm512_max_epi8(transpose_4x4(packed), low), high);
  _mm512_storeu_si512(output, packed);
}

AR_INLINE void store_one(int8_t *output, __m512i a, __m512i low, __m512i high, __mmask16 lanes) {
  __m128i packed = _mm512_cvtsepi32_epi8(a);
  packed = _mm_max_epi8(packed, _mm512_castsi512_si128(low));
  packed = _mm_min_epi8(packed, _mm512_castsi512_si128(high));
  _mm_mask_storeu_epi8(output, lanes, packed);
}

AR_INLINE void tile(const int P, const int NB, const int taps, const ar_gemm *gemm,
                    const uint8_t *input, const int8_t *weights, const ar_requantize_block *blocks,
                    int32_t valid_channels, int8_t *output) {
  __m512i acc[P][NB];
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) {
    __m512i bias = _mm512_load_si512(blocks[n].bias);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) acc[p][n] = bias;
  }
  products(P, NB, taps, gemm, input, weights, acc);

#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) {
    const __m512 scale = _mm512_load_ps(blocks[n].scale);
    const __m512 offset = _mm512_load_ps(blocks[n].offset);
    if (blocks[n].mode == AR_REQUANT_FLOAT) {
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) acc[p][n] = ar_requantize_float(acc[p][n], scale, offset);
    } else if (blocks[n].mode == AR_REQUANT_SIGNED) {
      const __m512 negative = _mm512_load_ps(blocks[n].negative_offset);
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p)
        acc[p][n] = ar_requantize_signed(acc[p][n], scale, offset, negative);
    } else {
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) acc[p][n] = ar_requantize_exact(acc[p][n], &blocks[n]);
    }
  }

  const __m512i low = _mm512_set1_epi8((int8_t)gemm->low);
  const __m512i high = _mm512_set1_epi8((int8_t)gemm->high);
  const int four = 4 / NB; /* positions in one store */
  if (gemm->channels == AR_BLOCK * NB && P % four == 0) {
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p += four)
      store_four(output + p * AR_BLOCK * NB, acc[p][0], acc[p + 1 / NB][1 % NB],
                 acc[p + 2 / NB][2 % NB], acc[p + 3 / NB][3 % NB], low, high);
    return;
  }
  const ptrdiff_t channels = gemm->channels;
  if (NB == 4 && valid_channels >= 64) {
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p)
      store_four(output + p * channels, acc[p][0], acc[p][1 % NB], acc[p][2 % NB], acc[p][3 % NB],
                 low, high);
    return;
  }
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p)
#pragma clang loop unroll(full)
    for (int n = 0; n < NB; ++n) {
      int left = valid_channels - AR_BLOCK * n;
      __mmask16 lanes = left >= AR_BLOCK ? 0xFFFF : left > 0 ? (__mmask16)((1u << left) - 1) : 0;
      store_one(output + p * channels + AR_BLOCK * n, acc[p][n], low, high, lanes);
    }
}

AR_TILES(const ar_requantize_block *)

ar_gemm_tile ar_gemm_tile_avx512vnni(int positions, int blocks, int taps) {
  return AR_FIND_TILE(positions, blocks, taps);
}
