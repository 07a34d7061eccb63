/* Vectors of four sums: requantised, clamped, stored as bytes. */
#ifndef AR_VECTORS_H
#define AR_VECTORS_H

#include <arm_mve.h>
#include <stdint.h>

#define AR_ALWAYS __attribute__((always_inline))

/* What was loaded before is loaded again: there are few vectors to keep it in. */
static inline AR_ALWAYS void ar_vector_again(void) { __asm__ volatile("" ::: "memory"); }

static inline AR_ALWAYS int32x4_t ar_vector(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32x4_t sums = vdupq_n_s32(a);
  sums = vsetq_lane_s32(b, sums, 1);
  sums = vsetq_lane_s32(c, sums, 2);
  return vsetq_lane_s32(d, sums, 3);
}

/* What requantises four filters' sums: in registers, as a store might change what is in memory. */
typedef struct {
  int32x4_t multiplier, addend, step;
} ar_vector_how;

static inline AR_ALWAYS ar_vector_how ar_vector_rising_how(const int32_t *constants) {
  const int32x4_t multiplier = vld1q_s32(constants), addend = vld1q_s32(constants + 4);
  return (ar_vector_how){multiplier, addend, addend};
}

static inline AR_ALWAYS ar_vector_how ar_vector_signed_how(const int32_t *constants) {
  ar_vector_how how = ar_vector_rising_how(constants);
  how.step = vld1q_s32(constants + 8);
  return how;
}

/* Sums times their multipliers, plus addends: to be shifted to the right. */
static inline AR_ALWAYS int32x4_t ar_vector_rising(int32x4_t sums, ar_vector_how how) {
  return vaddq_s32(vmulhq_s32(sums, how.multiplier), how.addend);
}

/* The same of sums times 256, less a step for negative ones. */
static inline AR_ALWAYS int32x4_t ar_vector_signed(int32x4_t sums, ar_vector_how how) {
  const int32x4_t wide = vshlq_n_s32(sums, 8);
  const int32x4_t step = vandq_s32(how.step, vshrq_n_s32(wide, 31));
  const int32x4_t high = vmulhq_s32(wide, how.multiplier);
  return vsubq_s32(vaddq_s32(high, how.addend), step);
}

/* The low bytes of some lanes. */
static inline AR_ALWAYS void ar_vector_bytes(int8_t *to, int32x4_t v, int32_t count) {
  if (count >= 4)
    vstrbq_s32(to, v);
  else
    vstrbq_p_s32(to, v, vctp32q((uint32_t)count));
}

/* Shifts to the right round: half of what they drop is missing from the addends. */
static inline AR_ALWAYS void ar_vector_store(int8_t *to, int32x4_t v, int32_t right, int32_t low,
                                             int32_t high, int32_t count) {
  v = vrshlq_n_s32(v, -right);
  ar_vector_bytes(to, vmaxq_s32(vminq_s32(v, vdupq_n_s32(high)), vdupq_n_s32(low)), count);
}

/* Two vectors shifted to the right by 1 to 16, in turn in one of 16 bits, which saturates. Forms that
   do not round are not used: GNU binutils 2.40 encodes them as these. */
#define AR_VECTOR_BOTH(a, b, right) \
  vqrshrntq_n_s32(vqrshrnbq_n_s32(vreinterpretq_s16_s32(a), a, right), b, right)

static inline AR_ALWAYS void ar_vector_store_both(int8_t *to, int8_t *other, int16x8_t both,
                                                  int32_t low, int32_t high, int32_t count) {
  int8x16_t bytes = vqmovnbq_s16(vreinterpretq_s8_s16(both), both);
  if (low > -128) bytes = vmaxq_s8(bytes, vdupq_n_s8((int8_t)low));
  if (high < 127) bytes = vminq_s8(bytes, vdupq_n_s8((int8_t)high));
  const int32x4_t lanes = vreinterpretq_s32_s8(bytes);
  ar_vector_bytes(to, lanes, count);
  ar_vector_bytes(other, vshrq_n_s32(lanes, 16), count);
}

/* Some bytes, up to a vector's. */
static inline AR_ALWAYS void ar_vector_copy(int8_t *to, const int8_t *from, int32_t bytes) {
  for (; bytes > 0; bytes -= 16, to += 16, from += 16) {
    const mve_pred16_t some = vctp8q((uint32_t)bytes);
    vstrbq_p_s8(to, vldrbq_z_s8(from, some), some);
  }
}

static inline AR_ALWAYS void ar_vector_fill(int8_t *to, int8_t value, int32_t bytes) {
  for (; bytes > 0; bytes -= 16, to += 16)
    vstrbq_p_s8(to, vdupq_n_s8(value), vctp8q((uint32_t)bytes));
}

#endif
