/* Sixteen lanes with AVX512-VNNI: what the templates in ../templates are written in.
 *
 * ../avx2/lanes.h has the same names; the comments are here.
 */
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arithmetic/requantize_plan.h"

#define AR_INLINE static inline __attribute__((always_inline))

enum {
  AR_VECTORS = 1,      /* registers that 16 lanes take */
  AR_STORE_BLOCKS = 4, /* times 16 lanes in one store of bytes */
  AR_LANES = 16        /* of one register of float32 */
};

typedef __m512i ar_i32; /* 16 lanes of int32 */
typedef __m512 ar_f32;
typedef __m512i ar_word; /* four bytes in every lane, in as few registers as possible */
typedef struct {
  __m512i low, high; /* of int8, in every byte */
  int clamps;        /* whether that is less than int8 */
} ar_bounds;
typedef __m512 ar_vector; /* AR_LANES of float32 */

/* -- memory; i32 and f32 are aligned to 64 bytes ---------------------------------------------- */

AR_INLINE ar_i32 ar_load_i32(const void *p) { return _mm512_load_si512(p); }
AR_INLINE ar_f32 ar_load_f32(const void *p) { return _mm512_load_ps(p); }
AR_INLINE void ar_save_i32(int32_t *p, ar_i32 v) { _mm512_store_si512(p, v); }
AR_INLINE ar_i32 ar_set_i32(int32_t x) { return _mm512_set1_epi32(x); }
AR_INLINE ar_f32 ar_set_f32(float x) { return _mm512_set1_ps(x); }
AR_INLINE ar_bounds ar_set_bounds(int8_t low, int8_t high) {
  return (ar_bounds){_mm512_set1_epi8(low), _mm512_set1_epi8(high),
                     low > INT8_MIN || high < INT8_MAX};
}

AR_INLINE ar_word ar_load_word(const uint8_t *p) {
  int32_t word;
  memcpy(&word, p, 4);
  return _mm512_set1_epi32(word);
}

/* The same of four int8 as u8. */
AR_INLINE ar_word ar_load_signed_word(const uint8_t *p) {
  return _mm512_xor_si512(ar_load_word(p), _mm512_set1_epi8(-128));
}

/* Sixteen int8 as floats. */
AR_INLINE ar_f32 ar_load_bytes(const int8_t *p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)));
}

/* The same as int32. */
AR_INLINE ar_i32 ar_load_integers(const int8_t *p) {
  return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
}

/* -- products --------------------------------------------------------------------------------- */

/* acc + the sum of four u8 of x times the four s8 of the lane's weights. */
AR_INLINE ar_i32 ar_dot(ar_i32 acc, ar_word x, ar_i32 w) { return _mm512_dpbusd_epi32(acc, x, w); }

/* acc + x * w, bits of float32 all. */
AR_INLINE ar_i32 ar_dot_float(ar_i32 acc, ar_word x, ar_i32 w) {
  return _mm512_castps_si512(
      _mm512_fmadd_ps(_mm512_castsi512_ps(x), _mm512_castsi512_ps(w), _mm512_castsi512_ps(acc)));
}

AR_INLINE ar_i32 ar_add_i32(ar_i32 a, ar_i32 b) { return _mm512_add_epi32(a, b); }
AR_INLINE ar_i32 ar_multiply_i32(ar_i32 a, ar_i32 b) { return _mm512_mullo_epi32(a, b); }
AR_INLINE ar_f32 ar_add_f32(ar_f32 a, ar_f32 b) { return _mm512_add_ps(a, b); }
AR_INLINE ar_f32 ar_float_bits(ar_i32 v) { return _mm512_castsi512_ps(v); }
AR_INLINE ar_i32 ar_int_bits(ar_f32 v) { return _mm512_castps_si512(v); }

/* -- requantisation --------------------------------------------------------------------------- */

AR_INLINE ar_f32 ar_to_float(ar_i32 v) { return _mm512_cvtepi32_ps(v); }
AR_INLINE ar_i32 ar_to_int(ar_f32 v) { return _mm512_cvtps_epi32(v); }
AR_INLINE ar_f32 ar_multiply_add(ar_f32 a, ar_f32 b, ar_f32 c) { return _mm512_fmadd_ps(a, b, c); }

/* The line of each lane, rounded down: both the sum and its conversion are, so that the result
 * is the floor of the exact line, because every integer is a float. Rounding to nearest twice
 * would lose some of them. */
#define AR_DOWN (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
AR_INLINE ar_i32 ar_on_line(ar_i32 acc, ar_f32 scale, ar_f32 offset) {
  ar_f32 line = _mm512_fmadd_round_ps(_mm512_cvtepi32_ps(acc), scale, offset, AR_DOWN);
  return _mm512_cvt_roundps_epi32(line, AR_DOWN);
}

/* Sums that are floats in [2^23, 2^24), to such floats, of which the low bits are left: see
 * bare_lines.h. */
#define AR_BARE_BITS 0x4B400000u /* of the middle one */
AR_INLINE ar_i32 ar_on_bare_line(ar_i32 bits, ar_f32 scale, ar_f32 end) {
  const ar_f32 line = _mm512_fmadd_round_ps(ar_float_bits(bits), scale, end, AR_DOWN);
  return _mm512_sub_epi32(ar_int_bits(line), _mm512_set1_epi32((int32_t)AR_BARE_BITS));
}

/* The same, with another offset for negative accumulators. */
AR_INLINE ar_i32 ar_on_signed_line(ar_i32 acc, ar_f32 scale, ar_f32 offset, ar_f32 negative) {
  return ar_on_line(acc, scale, _mm512_mask_blend_ps(_mm512_movepi32_mask(acc), offset, negative));
}

/* (acc * multiplier + constant - below_zero * [acc < 0]) >> (32 + high_shift); below_zero is bit
 * 31 or nothing. */
AR_INLINE ar_i32 ar_on_integers(ar_i32 acc, const ar_requantize_integers *way) {
  const __m512i m = _mm512_load_si512(way->multiplier);
  const __m512i sign = _mm512_set1_epi64(way->below_zero);
  const __m512i acc_odd = _mm512_srli_epi64(acc, 32);
  __m512i even = _mm512_mul_epi32(acc, m);
  __m512i odd = _mm512_mul_epi32(acc_odd, _mm512_srli_epi64(m, 32));
  even = _mm512_add_epi64(even, _mm512_load_si512(way->constant));
  odd = _mm512_add_epi64(odd, _mm512_load_si512(way->constant + 8));
  even = _mm512_sub_epi64(even, _mm512_and_si512(acc, sign));
  odd = _mm512_sub_epi64(odd, _mm512_and_si512(acc_odd, sign));
  const __m512i high = _mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 32), odd);
  return _mm512_srav_epi32(high, _mm512_load_si512(way->high_shift));
}

/* round(acc * factor + offset), halves away from zero, as int8 in int32; NaN becomes 127. All
 * operations round to nearest, one by one. */
AR_INLINE ar_i32 ar_on_reals(ar_i32 acc, ar_f32 factor, ar_f32 offset) {
  const __m512 sign = _mm512_set1_ps(-0.0f);
  __m512 x = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(acc), factor), offset);
  /* The second operand is returned for NaN. */
  x = _mm512_max_ps(_mm512_min_ps(x, _mm512_set1_ps(127.0f)), _mm512_set1_ps(-128.0f));
  const __m512 half = _mm512_or_ps(_mm512_and_ps(x, sign), _mm512_set1_ps(0.5f));
  return _mm512_cvttps_epi32(_mm512_add_ps(x, half));
}

#define AR_HAS_BARE_LINES

/* -- stores ----------------------------------------------------------------------------------- */

/* Four times 16 lanes as int8, saturated and clamped: in every 128 bits four of each register. */
AR_INLINE __m512i ar_pack_dealt(const ar_i32 *v, ar_bounds to) {
  const __m512i packed =
      _mm512_packs_epi16(_mm512_packs_epi32(v[0], v[1]), _mm512_packs_epi32(v[2], v[3]));
  return to.clamps ? _mm512_min_epi8(_mm512_max_epi8(packed, to.low), to.high) : packed;
}

/* The same, one register after the other. */
AR_INLINE __m512i ar_pack_four(const ar_i32 *v, ar_bounds to) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, ar_pack_dealt(v, to));
}

/* AR_STORE_BLOCKS times 16 lanes likewise. */
AR_INLINE void ar_store_blocks(int8_t *out, const ar_i32 *v, ar_bounds to) {
  _mm512_storeu_si512(out, ar_pack_four(v, to));
}

/* The same, each 16 lanes `step` bytes after those before. */
AR_INLINE void ar_store_apart(int8_t *out, ptrdiff_t step, const ar_i32 *v, ar_bounds to) {
  _Alignas(64) int8_t bytes[64];
  ar_store_blocks(bytes, v, to);
  for (int i = 0; i < AR_STORE_BLOCKS; ++i) memcpy(out + i * step, bytes + 16 * i, 16);
}

/* The first `count` of 16 lanes; none if count <= 0. */
AR_INLINE void ar_store_lanes(int8_t *out, ar_i32 v, ar_bounds to, int count) {
  const __mmask16 lanes = count >= 16 ? 0xFFFF : count > 0 ? (__mmask16)((1u << count) - 1) : 0;
  __m128i packed = _mm512_cvtsepi32_epi8(v);
  packed = _mm_max_epi8(packed, _mm512_castsi512_si128(to.low));
  packed = _mm_min_epi8(packed, _mm512_castsi512_si128(to.high));
  _mm_mask_storeu_epi8(out, lanes, packed);
}

/* The first `count` > 0 of 16 lanes, clamped; NaN stays, as C's comparisons would have it. */
AR_INLINE void ar_store_floats(float *out, ar_f32 v, ar_f32 low, ar_f32 high, int count) {
  const __mmask16 lanes = count >= 16 ? 0xFFFF : (__mmask16)((1u << count) - 1);
  /* The second operand is returned for NaN. */
  _mm512_mask_storeu_ps(out, lanes, _mm512_min_ps(high, _mm512_max_ps(low, v)));
}

/* -- single registers of float32 --------------------------------------------------------------- */

AR_INLINE ar_vector ar_load_vector(const float *p) { return _mm512_loadu_ps(p); }
AR_INLINE ar_vector ar_set_vector(float x) { return _mm512_set1_ps(x); }
AR_INLINE ar_vector ar_add_vector(ar_vector a, ar_vector b) { return _mm512_add_ps(a, b); }
AR_INLINE ar_vector ar_sub_vector(ar_vector a, ar_vector b) { return _mm512_sub_ps(a, b); }
AR_INLINE ar_vector ar_mul_vector(ar_vector a, ar_vector b) { return _mm512_mul_ps(a, b); }
AR_INLINE void ar_save_vector(float *p, ar_vector v) { _mm512_store_ps(p, v); }
AR_INLINE ar_vector ar_fma_vector(ar_vector a, ar_vector b, ar_vector c) {
  return _mm512_fmadd_ps(a, b, c);
}
AR_INLINE void ar_store_vector(float *out, ar_vector v, ar_vector low, ar_vector high, int count) {
  ar_store_floats(out, v, low, high, count);
}
/* The same without an invalid operation where a lane is NaN: comparisons that are quiet. */
AR_INLINE void ar_store_quietly(float *out, ar_vector v, ar_vector low, ar_vector high, int count) {
  const __mmask16 lanes = count >= 16 ? 0xFFFF : (__mmask16)((1u << count) - 1);
  __mmask16 is_low, is_high; /* of intrinsics the compiler makes max and min, which are not quiet */
  __asm__("vcmpps $0x11, %2, %1, %0" : "=k"(is_low) : "v"(v), "v"(low));
  __asm__("vcmpps $0x11, %2, %1, %0" : "=k"(is_high) : "v"(high), "v"(v));
  v = _mm512_mask_mov_ps(_mm512_mask_mov_ps(v, is_low, low), is_high, high);
  _mm512_mask_storeu_ps(out, lanes, v);
}
