/* Sixteen lanes with AVX2 and FMA, as two registers: see ../avx512vnni/lanes.h.
 *
 * With AR_VNNI defined, dot products are AVX-VNNI's, of four bytes as in AVX512-VNNI;
 * otherwise of two int16.
 */
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arithmetic/requantize_plan.h"

#define AR_INLINE static inline __attribute__((always_inline))

#include "simd/templates/store_bytes.h"

enum { AR_VECTORS = 2, AR_STORE_BLOCKS = 2, AR_LANES = 8 };

typedef struct {
  __m256i half[2];
} ar_i32;
typedef struct {
  __m256 half[2];
} ar_f32;
typedef __m256i ar_word;
typedef struct {
  __m256i low, high; /* of int8, in every byte */
  int clamps;        /* whether that is less than int8 */
} ar_bounds;
typedef __m256 ar_vector;

/* -- memory ----------------------------------------------------------------------------------- */

AR_INLINE ar_i32 ar_load_i32(const void *p) {
  const __m256i *v = p;
  return (ar_i32){{_mm256_load_si256(v), _mm256_load_si256(v + 1)}};
}

AR_INLINE ar_f32 ar_load_f32(const void *p) {
  const float *v = p;
  return (ar_f32){{_mm256_load_ps(v), _mm256_load_ps(v + 8)}};
}

AR_INLINE void ar_save_i32(int32_t *p, ar_i32 v) {
  _mm256_store_si256((__m256i *)p, v.half[0]);
  _mm256_store_si256((__m256i *)p + 1, v.half[1]);
}

AR_INLINE ar_i32 ar_set_i32(int32_t x) {
  return (ar_i32){{_mm256_set1_epi32(x), _mm256_set1_epi32(x)}};
}
AR_INLINE ar_f32 ar_set_f32(float x) { return (ar_f32){{_mm256_set1_ps(x), _mm256_set1_ps(x)}}; }
AR_INLINE ar_bounds ar_set_bounds(int8_t low, int8_t high) {
  return (ar_bounds){_mm256_set1_epi8(low), _mm256_set1_epi8(high),
                     low > INT8_MIN || high < INT8_MAX};
}

AR_INLINE ar_word ar_load_word(const uint8_t *p) {
  int32_t word;
  memcpy(&word, p, 4);
  return _mm256_set1_epi32(word);
}

AR_INLINE __m256 ar_load_bytes_half(const int8_t *p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)));
}
AR_INLINE ar_f32 ar_load_bytes(const int8_t *p) {
  return (ar_f32){{ar_load_bytes_half(p), ar_load_bytes_half(p + 8)}};
}

AR_INLINE __m256i ar_load_integers_half(const int8_t *p) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p));
}
AR_INLINE ar_i32 ar_load_integers(const int8_t *p) {
  return (ar_i32){{ar_load_integers_half(p), ar_load_integers_half(p + 8)}};
}

/* -- products --------------------------------------------------------------------------------- */

#ifdef AR_VNNI
AR_INLINE __m256i ar_dot_half(__m256i acc, __m256i x, __m256i w) {
  return _mm256_dpbusd_avx_epi32(acc, x, w);
}
#else
AR_INLINE __m256i ar_dot_half(__m256i acc, __m256i x, __m256i w) {
  return _mm256_add_epi32(acc, _mm256_madd_epi16(x, w));
}
#endif

AR_INLINE ar_i32 ar_dot(ar_i32 acc, ar_word x, ar_i32 w) {
  return (ar_i32){{ar_dot_half(acc.half[0], x, w.half[0]), ar_dot_half(acc.half[1], x, w.half[1])}};
}

AR_INLINE __m256i ar_dot_float_half(__m256i acc, __m256i x, __m256i w) {
  return _mm256_castps_si256(
      _mm256_fmadd_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(w), _mm256_castsi256_ps(acc)));
}
AR_INLINE ar_i32 ar_dot_float(ar_i32 acc, ar_word x, ar_i32 w) {
  return (ar_i32){
      {ar_dot_float_half(acc.half[0], x, w.half[0]), ar_dot_float_half(acc.half[1], x, w.half[1])}};
}

AR_INLINE ar_i32 ar_add_i32(ar_i32 a, ar_i32 b) {
  return (ar_i32){{_mm256_add_epi32(a.half[0], b.half[0]), _mm256_add_epi32(a.half[1], b.half[1])}};
}
AR_INLINE ar_i32 ar_multiply_i32(ar_i32 a, ar_i32 b) {
  return (ar_i32){
      {_mm256_mullo_epi32(a.half[0], b.half[0]), _mm256_mullo_epi32(a.half[1], b.half[1])}};
}
AR_INLINE ar_f32 ar_add_f32(ar_f32 a, ar_f32 b) {
  return (ar_f32){{_mm256_add_ps(a.half[0], b.half[0]), _mm256_add_ps(a.half[1], b.half[1])}};
}
AR_INLINE ar_f32 ar_float_bits(ar_i32 v) {
  return (ar_f32){{_mm256_castsi256_ps(v.half[0]), _mm256_castsi256_ps(v.half[1])}};
}
AR_INLINE ar_i32 ar_int_bits(ar_f32 v) {
  return (ar_i32){{_mm256_castps_si256(v.half[0]), _mm256_castps_si256(v.half[1])}};
}

/* -- requantisation --------------------------------------------------------------------------- */

AR_INLINE ar_f32 ar_to_float(ar_i32 v) {
  return (ar_f32){{_mm256_cvtepi32_ps(v.half[0]), _mm256_cvtepi32_ps(v.half[1])}};
}
AR_INLINE ar_i32 ar_to_int(ar_f32 v) {
  return (ar_i32){{_mm256_cvtps_epi32(v.half[0]), _mm256_cvtps_epi32(v.half[1])}};
}
AR_INLINE ar_f32 ar_multiply_add(ar_f32 a, ar_f32 b, ar_f32 c) {
  return (ar_f32){{_mm256_fmadd_ps(a.half[0], b.half[0], c.half[0]),
                   _mm256_fmadd_ps(a.half[1], b.half[1], c.half[1])}};
}

/* Rounds down where the caller has set the rounding mode so, see kernels.c. */
AR_INLINE __m256i ar_on_line_half(__m256i acc, __m256 scale, __m256 offset) {
  return _mm256_cvtps_epi32(_mm256_fmadd_ps(_mm256_cvtepi32_ps(acc), scale, offset));
}
AR_INLINE ar_i32 ar_on_line(ar_i32 acc, ar_f32 scale, ar_f32 offset) {
  return (ar_i32){{ar_on_line_half(acc.half[0], scale.half[0], offset.half[0]),
                   ar_on_line_half(acc.half[1], scale.half[1], offset.half[1])}};
}

AR_INLINE __m256i ar_on_signed_line_half(__m256i acc, __m256 scale, __m256 offset,
                                         __m256 negative) {
  return ar_on_line_half(acc, scale, _mm256_blendv_ps(offset, negative, _mm256_castsi256_ps(acc)));
}
AR_INLINE ar_i32 ar_on_signed_line(ar_i32 acc, ar_f32 scale, ar_f32 offset, ar_f32 negative) {
  return (ar_i32){
      {ar_on_signed_line_half(acc.half[0], scale.half[0], offset.half[0], negative.half[0]),
       ar_on_signed_line_half(acc.half[1], scale.half[1], offset.half[1], negative.half[1])}};
}

/* Lanes 8 * h to 8 * h + 7 of a block. */
AR_INLINE __m256i ar_on_integers_half(__m256i acc, const ar_requantize_integers *way, int h) {
  const __m256i m = _mm256_load_si256((const __m256i *)(way->multiplier + 8 * h));
  const __m256i sign = _mm256_set1_epi64x(way->below_zero);
  const __m256i acc_odd = _mm256_srli_epi64(acc, 32);
  __m256i even = _mm256_mul_epi32(acc, m);
  __m256i odd = _mm256_mul_epi32(acc_odd, _mm256_srli_epi64(m, 32));
  even = _mm256_add_epi64(even, _mm256_load_si256((const __m256i *)(way->constant + 4 * h)));
  odd = _mm256_add_epi64(odd, _mm256_load_si256((const __m256i *)(way->constant + 8 + 4 * h)));
  even = _mm256_sub_epi64(even, _mm256_and_si256(acc, sign));
  odd = _mm256_sub_epi64(odd, _mm256_and_si256(acc_odd, sign));
  const __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
  return _mm256_srav_epi32(high, _mm256_load_si256((const __m256i *)(way->high_shift + 8 * h)));
}
AR_INLINE ar_i32 ar_on_integers(ar_i32 acc, const ar_requantize_integers *way) {
  return (ar_i32){
      {ar_on_integers_half(acc.half[0], way, 0), ar_on_integers_half(acc.half[1], way, 1)}};
}

AR_INLINE __m256i ar_on_reals_half(__m256i acc, __m256 factor, __m256 offset) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  __m256 x = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(acc), factor), offset);
  x = _mm256_max_ps(_mm256_min_ps(x, _mm256_set1_ps(127.0f)), _mm256_set1_ps(-128.0f));
  const __m256 half = _mm256_or_ps(_mm256_and_ps(x, sign), _mm256_set1_ps(0.5f));
  return _mm256_cvttps_epi32(_mm256_add_ps(x, half));
}
AR_INLINE ar_i32 ar_on_reals(ar_i32 acc, ar_f32 factor, ar_f32 offset) {
  return (ar_i32){{ar_on_reals_half(acc.half[0], factor.half[0], offset.half[0]),
                   ar_on_reals_half(acc.half[1], factor.half[1], offset.half[1])}};
}

/* -- stores ----------------------------------------------------------------------------------- */

AR_INLINE void ar_store_blocks(int8_t *out, const ar_i32 *v, ar_bounds to) {
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(v[0].half[0], v[0].half[1]),
                                      _mm256_packs_epi32(v[1].half[0], v[1].half[1]));
  packed = _mm256_permutevar8x32_epi32(packed, order);
  if (to.clamps) packed = _mm256_min_epi8(_mm256_max_epi8(packed, to.low), to.high);
  _mm256_storeu_si256((__m256i *)out, packed);
}

AR_INLINE void ar_store_apart(int8_t *out, ptrdiff_t step, const ar_i32 *v, ar_bounds to) {
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(v[0].half[0], v[0].half[1]),
                                      _mm256_packs_epi32(v[1].half[0], v[1].half[1]));
  packed = _mm256_permutevar8x32_epi32(packed, order);
  if (to.clamps) packed = _mm256_min_epi8(_mm256_max_epi8(packed, to.low), to.high);
  _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(packed));
  _mm_storeu_si128((__m128i *)(out + step), _mm256_extracti128_si256(packed, 1));
}

/* The first `count` bytes, 0 < count < 16. */
AR_INLINE void ar_store_some(int8_t *out, __m128i bytes, int count) {
  if (count & 8) {
    _mm_storel_epi64((__m128i *)out, bytes);
    bytes = _mm_unpackhi_epi64(bytes, bytes);
    out += 8;
  }
  uint64_t rest = (uint64_t)_mm_cvtsi128_si64(bytes);
  ar_store_bytes(out, rest, count);
}

AR_INLINE void ar_store_lanes(int8_t *out, ar_i32 v, ar_bounds to, int count) {
  const __m256i words = _mm256_packs_epi32(v.half[0], v.half[1]);
  __m128i packed =
      _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  packed = _mm_shuffle_epi32(packed, 0xD8);
  packed = _mm_max_epi8(packed, _mm256_castsi256_si128(to.low));
  packed = _mm_min_epi8(packed, _mm256_castsi256_si128(to.high));
  if (count >= 16) _mm_storeu_si128((__m128i *)out, packed);
  else if (count > 0) ar_store_some(out, packed, count);
}

/* -- single registers of float32 --------------------------------------------------------------- */

AR_INLINE ar_vector ar_load_vector(const float *p) { return _mm256_loadu_ps(p); }
AR_INLINE ar_vector ar_set_vector(float x) { return _mm256_set1_ps(x); }
AR_INLINE ar_vector ar_add_vector(ar_vector a, ar_vector b) { return _mm256_add_ps(a, b); }
AR_INLINE ar_vector ar_sub_vector(ar_vector a, ar_vector b) { return _mm256_sub_ps(a, b); }
AR_INLINE ar_vector ar_mul_vector(ar_vector a, ar_vector b) { return _mm256_mul_ps(a, b); }
AR_INLINE void ar_save_vector(float *p, ar_vector v) { _mm256_store_ps(p, v); }
AR_INLINE ar_vector ar_fma_vector(ar_vector a, ar_vector b, ar_vector c) {
  return _mm256_fmadd_ps(a, b, c);
}
AR_INLINE void ar_save_first(float *out, ar_vector v, int count) {
  if (count >= 8) {
    _mm256_storeu_ps(out, v);
    return;
  }
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  _mm256_maskstore_ps(out, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane), v);
}
AR_INLINE void ar_store_vector(float *out, ar_vector v, ar_vector low, ar_vector high, int count) {
  ar_save_first(out, _mm256_min_ps(high, _mm256_max_ps(low, v)), count);
}
/* The same without an invalid operation where a lane is NaN: comparisons that are quiet. */
AR_INLINE void ar_store_quietly(float *out, ar_vector v, ar_vector low, ar_vector high, int count) {
  __m256 is_low, is_high; /* of intrinsics the compiler makes max and min, which are not quiet */
  __asm__("vcmpps $0x11, %2, %1, %0" : "=x"(is_low) : "x"(v), "x"(low));
  __asm__("vcmpps $0x11, %2, %1, %0" : "=x"(is_high) : "x"(high), "x"(v));
  ar_save_first(out, _mm256_blendv_ps(_mm256_blendv_ps(v, low, is_low), high, is_high), count);
}

AR_INLINE void ar_store_floats(float *out, ar_f32 v, ar_f32 low, ar_f32 high, int count) {
  ar_store_vector(out, v.half[0], low.half[0], high.half[0], count);
  ar_store_vector(out + 8, v.half[1], low.half[1], high.half[1], count - 8);
}
