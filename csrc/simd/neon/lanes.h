/* Sixteen lanes with Arm's Advanced SIMD, as four registers: see ../avx512vnni/lanes.h.
 *
 * Facts: Arm Architecture Reference Manual for A-profile; ACLE, arm_neon.h.
 */
#pragma once

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arithmetic/requantize_plan.h"

#define AR_INLINE static inline __attribute__((always_inline))

#include "simd/templates/store_bytes.h"
#define AR_UNROLL _Pragma("clang loop unroll(full)")
#define AR_EACH \
  AR_UNROLL     \
  for (int q = 0; q < AR_VECTORS; ++q)

enum { AR_VECTORS = 4, AR_STORE_BLOCKS = 1, AR_LANES = 4 };

typedef struct {
  int32x4_t v[AR_VECTORS];
} ar_i32;
typedef struct {
  float32x4_t v[AR_VECTORS];
} ar_f32;
typedef int32x4_t ar_word;
typedef struct {
  int8x16_t low, high; /* of int8, in every byte */
  int clamps;          /* whether that is less than int8 */
  int bare;            /* whether what is stored are rounded products, which have no offset yet */
  int away;            /* whether halves below zero were rounded away from it */
  int16x8_t offset;    /* of rounded products */
} ar_bounds;
typedef float32x4_t ar_vector;

/* -- memory ----------------------------------------------------------------------------------- */

AR_INLINE ar_i32 ar_load_i32(const void *p) {
  ar_i32 r;
  AR_EACH r.v[q] = vld1q_s32((const int32_t *)p + 4 * q);
  return r;
}
AR_INLINE ar_f32 ar_load_f32(const void *p) {
  ar_f32 r;
  AR_EACH r.v[q] = vld1q_f32((const float *)p + 4 * q);
  return r;
}
AR_INLINE void ar_save_i32(int32_t *p, ar_i32 v) {
  AR_EACH vst1q_s32(p + 4 * q, v.v[q]);
}
AR_INLINE ar_i32 ar_set_i32(int32_t x) {
  ar_i32 r;
  AR_EACH r.v[q] = vdupq_n_s32(x);
  return r;
}
AR_INLINE ar_f32 ar_set_f32(float x) {
  ar_f32 r;
  AR_EACH r.v[q] = vdupq_n_f32(x);
  return r;
}
AR_INLINE ar_bounds ar_set_bounds(int8_t low, int8_t high) {
  return (ar_bounds){.low = vdupq_n_s8(low),
                     .high = vdupq_n_s8(high),
                     .clamps = low > INT8_MIN || high < INT8_MAX};
}
AR_INLINE ar_word ar_load_word(const uint8_t *p) {
  int32_t word;
  memcpy(&word, p, 4);
  return vdupq_n_s32(word);
}
/* Four words side by side, and no more than the first `count`. */
AR_INLINE ar_word ar_load_words(const uint8_t *p) { return vreinterpretq_s32_u8(vld1q_u8(p)); }
AR_INLINE ar_word ar_load_some_words(int count, const uint8_t *p) {
  if (count == 4) return ar_load_words(p);
  if (count == 1) return ar_load_word(p);
  const int32x4_t two = vcombine_s32(vreinterpret_s32_u8(vld1_u8(p)), vdup_n_s32(0));
  return count == 2 ? two : vld1q_lane_s32((const int32_t *)(p + 8), two, 2);
}

AR_INLINE ar_i32 ar_load_integers(const int8_t *p) {
  const int8x16_t b = vld1q_s8(p);
  const int16x8_t low = vmovl_s8(vget_low_s8(b)), high = vmovl_high_s8(b);
  return (ar_i32){{vmovl_s16(vget_low_s16(low)), vmovl_high_s16(low), vmovl_s16(vget_low_s16(high)),
                   vmovl_high_s16(high)}};
}

AR_INLINE ar_f32 ar_load_bytes(const int8_t *p) {
  const ar_i32 b = ar_load_integers(p);
  ar_f32 r;
  AR_EACH r.v[q] = vcvtq_f32_s32(b.v[q]);
  return r;
}

/* -- products --------------------------------------------------------------------------------- */

AR_INLINE ar_i32 ar_dot_float(ar_i32 acc, ar_word x, ar_i32 w) {
  AR_EACH
    acc.v[q] = vreinterpretq_s32_f32(vfmaq_f32(
        vreinterpretq_f32_s32(acc.v[q]), vreinterpretq_f32_s32(x), vreinterpretq_f32_s32(w.v[q])));
  return acc;
}
AR_INLINE ar_i32 ar_add_i32(ar_i32 a, ar_i32 b) {
  AR_EACH a.v[q] = vaddq_s32(a.v[q], b.v[q]);
  return a;
}
AR_INLINE ar_i32 ar_multiply_i32(ar_i32 a, ar_i32 b) {
  AR_EACH a.v[q] = vmulq_s32(a.v[q], b.v[q]);
  return a;
}
AR_INLINE ar_f32 ar_add_f32(ar_f32 a, ar_f32 b) {
  AR_EACH a.v[q] = vaddq_f32(a.v[q], b.v[q]);
  return a;
}
AR_INLINE ar_f32 ar_float_bits(ar_i32 v) {
  ar_f32 r;
  AR_EACH r.v[q] = vreinterpretq_f32_s32(v.v[q]);
  return r;
}
AR_INLINE ar_i32 ar_int_bits(ar_f32 v) {
  ar_i32 r;
  AR_EACH r.v[q] = vreinterpretq_s32_f32(v.v[q]);
  return r;
}

/* -- requantisation --------------------------------------------------------------------------- */

AR_INLINE ar_f32 ar_to_float(ar_i32 v) {
  ar_f32 r;
  AR_EACH r.v[q] = vcvtq_f32_s32(v.v[q]);
  return r;
}
AR_INLINE ar_i32 ar_to_int(ar_f32 v) {
  ar_i32 r;
  AR_EACH r.v[q] = vcvtnq_s32_f32(v.v[q]);
  return r;
}
AR_INLINE ar_f32 ar_multiply_add(ar_f32 a, ar_f32 b, ar_f32 c) {
  AR_EACH c.v[q] = vfmaq_f32(c.v[q], a.v[q], b.v[q]);
  return c;
}

/* The sum rounds down where the caller has set the rounding mode so, see kernels.c. */
AR_INLINE int32x4_t ar_on_line_quarter(int32x4_t acc, float32x4_t scale, float32x4_t offset) {
  return vcvtmq_s32_f32(vfmaq_f32(offset, vcvtq_f32_s32(acc), scale));
}
AR_INLINE ar_i32 ar_on_line(ar_i32 acc, ar_f32 scale, ar_f32 offset) {
  AR_EACH acc.v[q] = ar_on_line_quarter(acc.v[q], scale.v[q], offset.v[q]);
  return acc;
}

AR_INLINE int32x4_t ar_on_signed_line_quarter(int32x4_t acc, float32x4_t scale, float32x4_t offset,
                                              float32x4_t negative) {
  return ar_on_line_quarter(acc, scale, vbslq_f32(vcltzq_s32(acc), negative, offset));
}
AR_INLINE ar_i32 ar_on_signed_line(ar_i32 acc, ar_f32 scale, ar_f32 offset, ar_f32 negative) {
  AR_EACH acc.v[q] = ar_on_signed_line_quarter(acc.v[q], scale.v[q], offset.v[q], negative.v[q]);
  return acc;
}

/* The reference's own two roundings, see rounded_products.h; `right` is the shift, below zero. */
#define AR_HAS_ROUNDED_PRODUCTS
AR_INLINE int32x4_t ar_rounded_quarter(int32x4_t acc, int32x4_t multiplier, int32x4_t right,
                                       const int away) {
  const int32x4_t x = vqrdmulhq_s32(acc, multiplier);
  return vrshlq_s32(away ? vsraq_n_s32(x, x, 31) : x, right);
}
AR_INLINE ar_i32 ar_rounded_product(ar_i32 acc, ar_i32 multiplier, ar_i32 right, const int away) {
  AR_EACH acc.v[q] = ar_rounded_quarter(acc.v[q], multiplier.v[q], right.v[q], away);
  return acc;
}
/* Nobody sees how halves below zero are rounded where all of them become the lower bound. */
AR_INLINE ar_bounds ar_bounds_of_products(ar_bounds to, const ar_requantize_block *block) {
  int32_t offset;
  memcpy(&offset, block->negative_offset, sizeof offset);
  to.bare = 1;
  to.away = vgetq_lane_s8(to.low, 0) < offset;
  to.offset = vdupq_n_s16((int16_t)offset);
  return to;
}

/* Lanes 4 * q to 4 * q + 3 of a block. */
AR_INLINE int32x4_t ar_on_integers_quarter(int32x4_t acc, const ar_requantize_integers *way,
                                           int q) {
  const int32x4_t m = vld1q_s32(way->multiplier + 4 * q);
  const int64x2_t even = vld1q_s64(way->constant + 2 * q);
  const int64x2_t odd = vld1q_s64(way->constant + AR_BLOCK / 2 + 2 * q);
  const int64x2_t below_zero = vdupq_n_s64(way->below_zero);
  const int32x4_t sign = vshrq_n_s32(acc, 31);
  int64x2_t low = vaddq_s64(vmull_s32(vget_low_s32(acc), vget_low_s32(m)), vzip1q_s64(even, odd));
  int64x2_t high = vaddq_s64(vmull_high_s32(acc, m), vzip2q_s64(even, odd));
  low = vsubq_s64(low, vandq_s64(vmovl_s32(vget_low_s32(sign)), below_zero));
  high = vsubq_s64(high, vandq_s64(vmovl_high_s32(sign), below_zero));
  const int32x4_t upper = vuzp2q_s32(vreinterpretq_s32_s64(low), vreinterpretq_s32_s64(high));
  return vshlq_s32(upper, vnegq_s32(vld1q_s32(way->high_shift + 4 * q)));
}
AR_INLINE ar_i32 ar_on_integers(ar_i32 acc, const ar_requantize_integers *way) {
  AR_EACH acc.v[q] = ar_on_integers_quarter(acc.v[q], way, q);
  return acc;
}

/* FMINNM returns the number where the other is none; below -128 whoever stores saturates. */
AR_INLINE int32x4_t ar_on_reals_quarter(int32x4_t acc, float32x4_t factor, float32x4_t offset) {
  float32x4_t x = vaddq_f32(vmulq_f32(vcvtq_f32_s32(acc), factor), offset);
  x = vminnmq_f32(x, vdupq_n_f32(127.0f));
  const float32x4_t half = vbslq_f32(vdupq_n_u32(UINT32_C(1) << 31), x, vdupq_n_f32(0.5f));
  return vcvtq_s32_f32(vaddq_f32(x, half));
}
AR_INLINE ar_i32 ar_on_reals(ar_i32 acc, ar_f32 factor, ar_f32 offset) {
  AR_EACH acc.v[q] = ar_on_reals_quarter(acc.v[q], factor.v[q], offset.v[q]);
  return acc;
}

/* -- stores ----------------------------------------------------------------------------------- */

AR_INLINE int8x16_t ar_pack_lanes(const int32x4_t *v) {
  const int16x8_t low = vqmovn_high_s32(vqmovn_s32(v[0]), v[1]);
  const int16x8_t high = vqmovn_high_s32(vqmovn_s32(v[2]), v[3]);
  return vqmovn_high_s16(vqmovn_s16(low), high);
}
/* Two bytes hold a rounded product and its offset. */
AR_INLINE int8x16_t ar_pack_products(const int32x4_t *v, int16x8_t offset) {
  const int16x8_t low = vuzp1q_s16(vreinterpretq_s16_s32(v[0]), vreinterpretq_s16_s32(v[1]));
  const int16x8_t high = vuzp1q_s16(vreinterpretq_s16_s32(v[2]), vreinterpretq_s16_s32(v[3]));
  return vqmovn_high_s16(vqmovn_s16(vaddq_s16(low, offset)), vaddq_s16(high, offset));
}
AR_INLINE int8x16_t ar_clamp_bytes(int8x16_t b, ar_bounds to) {
  return vminq_s8(vmaxq_s8(b, to.low), to.high);
}
/* Four registers of outputs as they are stored. */
AR_INLINE int8x16_t ar_pack_outputs(const int32x4_t *v, ar_bounds to) {
  const int8x16_t bytes = to.bare ? ar_pack_products(v, to.offset) : ar_pack_lanes(v);
  return to.clamps ? ar_clamp_bytes(bytes, to) : bytes;
}
AR_INLINE void ar_store_blocks(int8_t *out, const ar_i32 *v, ar_bounds to) {
  vst1q_s8(out, ar_pack_outputs(v[0].v, to));
}
AR_INLINE void ar_store_apart(int8_t *out, ptrdiff_t step, const ar_i32 *v, ar_bounds to) {
  (void)step; /* of one block there is one */
  ar_store_blocks(out, v, to);
}

/* The first `count` bytes, 0 < count < 16. */
AR_INLINE void ar_store_some(int8_t *out, int8x16_t bytes, int count) {
  if (count & 8) {
    vst1_s8(out, vget_low_s8(bytes));
    bytes = vextq_s8(bytes, bytes, 8);
    out += 8;
  }
  uint64_t rest = vgetq_lane_u64(vreinterpretq_u64_s8(bytes), 0);
  ar_store_bytes(out, rest, count);
}

AR_INLINE void ar_store_lanes(int8_t *out, ar_i32 v, ar_bounds to, int count) {
  const int8x16_t packed = ar_pack_outputs(v.v, to);
  if (count >= AR_BLOCK) vst1q_s8(out, packed);
  else if (count > 0) ar_store_some(out, packed, count);
}

/* -- single registers of float32 --------------------------------------------------------------- */

AR_INLINE ar_vector ar_load_vector(const float *p) { return vld1q_f32(p); }
AR_INLINE ar_vector ar_set_vector(float x) { return vdupq_n_f32(x); }
AR_INLINE ar_vector ar_add_vector(ar_vector a, ar_vector b) { return vaddq_f32(a, b); }
AR_INLINE ar_vector ar_fma_vector(ar_vector a, ar_vector b, ar_vector c) {
  return vfmaq_f32(c, a, b);
}
/* As C's comparisons would have it: NaN stays, and so does -0, which FMAX takes for less than 0. */
AR_INLINE void ar_store_vector(float *out, ar_vector v, ar_vector low, ar_vector high, int count) {
  v = vbslq_f32(vcgtq_f32(low, v), low, v);
  v = vbslq_f32(vcgtq_f32(v, high), high, v);
  if (count >= AR_LANES) {
    vst1q_f32(out, v);
    return;
  }
  if (count & 2) {
    vst1_f32(out, vget_low_f32(v));
    v = vextq_f32(v, v, 2);
    out += 2;
  }
  if (count & 1) vst1q_lane_f32(out, v, 0);
}
AR_INLINE void ar_store_floats(float *out, ar_f32 v, ar_f32 low, ar_f32 high, int count) {
  AR_EACH
    if (count > 4 * q) ar_store_vector(out + 4 * q, v.v[q], low.v[q], high.v[q], count - 4 * q);
}
