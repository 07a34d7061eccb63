/* Accumulators to int8, sixteen lanes at a time, exact.
 *
 * Two ways, chosen per block when the plan is made (see requantize_plan.h):
 * - AR_REQUANT_FLOAT: one fused multiply-add in float32, whose result was compared with
 *   the reference at every step of the output, which proves it for all accumulators;
 * - AR_REQUANT_INTEGER: the reference's two roundings as one 64-bit shift.
 */
#ifndef ARENITE_AVX512VNNI_REQUANTIZE_H
#define ARENITE_AVX512VNNI_REQUANTIZE_H

#include <immintrin.h>

#include "../fixedpoint.h"
#include "../requantize_plan.h"

#ifndef AR_INLINE
#define AR_INLINE static inline __attribute__((always_inline))
#endif

/* Both the sum and its conversion are rounded down: the result is the floor of the exact line,
 * because every integer is a float. Rounding to nearest twice would lose some of them. */
#define AR_DOWN (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)

/* One vector of 16 channels, by the float line of each channel. */
AR_INLINE __m512i ar_requantize_float(__m512i acc, __m512 scale, __m512 offset) {
  __m512 line = _mm512_fmadd_round_ps(_mm512_cvtepi32_ps(acc), scale, offset, AR_DOWN);
  return _mm512_cvt_roundps_epi32(line, AR_DOWN);
}

/* The same, with another offset for negative accumulators. */
AR_INLINE __m512i ar_requantize_signed(__m512i acc, __m512 scale, __m512 offset,
                                       __m512 negative_offset) {
  __m512 line = _mm512_mask_blend_ps(_mm512_movepi32_mask(acc), offset, negative_offset);
  return ar_requantize_float(acc, scale, line);
}

/* 16 channels by 64-bit integers: (acc * m + constant - 2^31 * [acc < 0]) >> total, total >= 32. */
AR_INLINE __m512i ar_requantize_integer(__m512i acc, const int32_t *multiplier,
                                        const int64_t *constant, const int64_t *total) {
  __m512i m = _mm512_loadu_si512(multiplier);
  __m512i sign = _mm512_and_si512(_mm512_srai_epi32(acc, 31), _mm512_set1_epi32(1));
  __m512i even = _mm512_mul_epi32(acc, m);
  __m512i odd = _mm512_mul_epi32(_mm512_srli_epi64(acc, 32), _mm512_srli_epi64(m, 32));
  __m512i low32 = _mm512_set1_epi64(0xFFFFFFFF);
  __m512i sign_even = _mm512_slli_epi64(_mm512_and_si512(sign, low32), 31);
  __m512i sign_odd = _mm512_slli_epi64(_mm512_srli_epi64(sign, 32), 31);
  even = _mm512_sub_epi64(_mm512_add_epi64(even, _mm512_loadu_si512(constant)), sign_even);
  odd = _mm512_sub_epi64(_mm512_add_epi64(odd, _mm512_loadu_si512(constant + 8)), sign_odd);
  even = _mm512_srav_epi64(even, _mm512_loadu_si512(total));
  odd = _mm512_srav_epi64(odd, _mm512_loadu_si512(total + 8));
  return _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32));
}

/* Lane by lane, for shifts that the 64-bit form cannot take. */
static __attribute__((noinline)) __m512i ar_requantize_slow(__m512i acc, const ar_requantize_block *block) {
  _Alignas(64) int32_t lane[AR_BLOCK];
  _mm512_store_si512(lane, acc);
  for (int i = 0; i < AR_BLOCK; ++i) {
    int32_t scaled =
        ar_multiply_by_quantized_multiplier(lane[i], block->multiplier[i], block->shift[i]);
    int64_t value = (int64_t)scaled + block->output_offset;
    lane[i] = value > 127 ? 127 : value < -128 ? -128 : (int32_t)value;
  }
  return _mm512_load_si512(lane);
}

AR_INLINE __m512i ar_requantize_exact(__m512i acc, const ar_requantize_block *block) {
  acc = _mm512_add_epi32(acc, _mm512_load_si512(block->center));
  if (block->exact == AR_REQUANT_SLOW) return ar_requantize_slow(acc, block);
  return ar_requantize_integer(acc, block->multiplier, block->constant, block->total);
}

#endif
