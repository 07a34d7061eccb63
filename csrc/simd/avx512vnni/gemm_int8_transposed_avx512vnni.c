/* Rows of positions by 8 filters, 16 positions at a time in the lanes: see convolution/transposed.h. */
#include "isa.h"
#include "lanes.h"

#include "convolution/transposed.h"

#define AR_IN_FLIGHT 8
#include "simd/templates/gemm_int8.h"

enum { FILTERS = AR_TRANSPOSED_FILTERS, MOST_DWORDS = AR_TRANSPOSED_DWORDS };

/* Lane i of the result is words `first` + step * i and `second` + step * i of 64. */
AR_INLINE __m512i words_of(const int step, const int first, const int second, __m512i low,
                           __m512i high) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i order =
      _mm512_add_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32(step * 0x10001)),
                       _mm512_set1_epi32(first | second << 16));
  return _mm512_permutex2var_epi16(low, order, high);
}

/* What the positions see of an image with `DEPTH` channels two columns apart, dword by dword. */
AR_INLINE void see(const int DEPTH, const ar_gemm *gemm, const uint8_t *input, __m512i *x) {
  __m512i last[AR_TRANSPOSED_ROWS];
#pragma clang loop unroll(full)
  for (int y = 0; y < AR_TRANSPOSED_ROWS; ++y) {
    const uint8_t *row = input + gemm->segment[y];
    const __m512i low = _mm512_loadu_si512(row), high = _mm512_loadu_si512(row + 64);
    if (DEPTH == 1) {
      x[y] = words_of(1, 0, 1, low, high);
      continue;
    }
    x[2 * y] = words_of(3, 0, 1, low, high);
    x[2 * y + 1] = words_of(3, 2, 3, low, high);
    last[y] = words_of(3, 4, 4, low, high);
  }
  if (DEPTH == 1) return;
  const __m512i two =
      _mm512_mask_blend_epi8(UINT64_C(0x2222222222222222), last[0], _mm512_slli_epi16(last[1], 8));
  x[6] = _mm512_mask_blend_epi16(0xAAAAAAAA, two, last[2]);
}

/* Four filters' bytes of 16 positions: position by position. */
AR_INLINE __m512i four_filters(const ar_i32 *v, ar_bounds to) {
  const __m512i order =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  return _mm512_shuffle_epi8(ar_pack_dealt(v, to), order);
}

/* Eight bytes of each position. */
AR_INLINE void store_positions(const ar_i32 *acc, ar_bounds to, int8_t *output) {
  const __m512i low = four_filters(acc, to), high = four_filters(acc + 4, to);
  const __m512i even = _mm512_unpacklo_epi32(low, high), odd = _mm512_unpackhi_epi32(low, high);
  const __m512i begin = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i end = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  _mm512_storeu_si512(output, _mm512_permutex2var_epi64(even, begin, odd));
  _mm512_storeu_si512(output + 64, _mm512_permutex2var_epi64(even, end, odd));
}

/* All lanes of a block are one filter: what they hold is loaded once for all. */
AR_INLINE ar_i32 on_one_bare_line(ar_i32 acc, const ar_requantize_block *block) {
  return ar_on_bare_line(acc, ar_set_f32(block->scale[0]), ar_set_f32(block->offset[0]));
}

/* A row of positions, 16 at a time; the last of them start early enough to be as many. */
AR_INLINE void transposed(const int DEPTH, const int bare, const ar_bounds to, const ar_gemm *gemm,
                          const uint8_t *input, const int8_t *weights,
                          const ar_requantize_block *blocks, int8_t *output) {
  const int DWORDS = DEPTH == 3 ? MOST_DWORDS : AR_TRANSPOSED_ROWS;
  const int32_t last = gemm->positions - AR_TRANSPOSED_POSITIONS;
  const ptrdiff_t stride = gemm->position_stride;
  for (int32_t next = 0; next < gemm->positions; next += AR_TRANSPOSED_POSITIONS) {
    const int32_t first = next < last ? next : last;
    /* What does not change is more than registers hold: it is loaded where it is wanted. */
    __asm__("" : "+r"(blocks), "+r"(weights));
    __m512i x[MOST_DWORDS];
    ar_i32 acc[FILTERS];
    see(DEPTH, gemm, input + first * stride, x);
#pragma clang loop unroll(full)
    for (int f = 0; f < FILTERS; ++f) acc[f] = ar_set_i32(blocks[f].bias[0]);
#pragma clang loop unroll(full)
    for (int d = 0; d < DWORDS; ++d)
#pragma clang loop unroll(full)
      for (int f = 0; f < FILTERS; ++f)
        acc[f] =
            ar_dot(acc[f], x[d], ar_load_word((const uint8_t *)weights + 4 * (FILTERS * d + f)));
    if (bare) {
#pragma clang loop unroll(full)
      for (int f = 0; f < FILTERS; ++f) acc[f] = on_one_bare_line(acc[f], &blocks[f]);
    } else {
      requantize(1, FILTERS, acc, blocks);
    }
    store_positions(acc, to, output + first * FILTERS);
  }
}

/* Blocks of which some are not bare. */
#define EXACT_TRANSPOSED(DEPTH)                                                             \
  static __attribute__((noinline)) void exact_transposed_##DEPTH(                           \
      const ar_bounds to, const ar_gemm *gemm, const uint8_t *input, const int8_t *weights, \
      const ar_requantize_block *blocks, int8_t *output) {                                  \
    transposed(DEPTH, 0, to, gemm, input, weights, blocks, output);                         \
  }
#define TRANSPOSED(DEPTH)                                                                          \
  static void transposed_##DEPTH(const ar_gemm *gemm, const uint8_t *input, const int8_t *weights, \
                                 const ar_requantize_block *blocks, int32_t, void *output) {       \
    ar_outputs outputs = outputs_of(FILTERS, gemm, blocks);                                        \
    if (outputs.mode != AR_REQUANT_BARE) {                                                         \
      exact_transposed_##DEPTH(outputs.to, gemm, input, weights, blocks, output);                  \
      return;                                                                                      \
    }                                                                                              \
    if (!outputs.to.clamps) {                                                                      \
      outputs.to.clamps = 0; /* which the compiler knows then */                                   \
      transposed(DEPTH, 1, outputs.to, gemm, input, weights, blocks, output);                      \
      return;                                                                                      \
    }                                                                                              \
    outputs.to.clamps = 1;                                                                         \
    transposed(DEPTH, 1, outputs.to, gemm, input, weights, blocks, output);                        \
  }
EXACT_TRANSPOSED(1)
EXACT_TRANSPOSED(3)
TRANSPOSED(1)
TRANSPOSED(3)

ar_gemm_tile ar_gemm_transposed_avx512vnni(int depth, int stride) {
  if (stride != 2) return 0;
  return depth == 1 ? transposed_1 : depth == 3 ? transposed_3 : 0;
}
