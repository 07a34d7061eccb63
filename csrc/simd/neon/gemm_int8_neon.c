/* Tiles of bytes for CPUs without SDOT: products of eight bytes are added in pairs (SMULL, SADALP),
 * and the two sums of a channel when all are there. Exact for all bytes: one product of int8 fits
 * int16, a sum of two need not. */
#include "isa.h"
#include "lanes.h"

#define AR_OWN_LOOPS

/* Two sums of each of 16 channels. */
typedef struct {
  int32x4_t v[2 * AR_VECTORS];
} pairs;

/* One word of P positions. */
AR_INLINE void one_word(const int P, const uint8_t *row, ptrdiff_t stride, const int8_t *weights,
                        pairs *sums) {
  int8x16_t x[P];
  AR_UNROLL
  for (int p = 0; p < P; ++p) x[p] = vreinterpretq_s8_s32(ar_load_word(row + p * stride));
  AR_EACH {
    const int8x16_t w = vld1q_s8(weights + 16 * q);
    AR_UNROLL
    for (int p = 0; p < P; ++p) {
      int32x4_t *v = sums[p].v + 2 * q;
      v[0] = vpadalq_s16(v[0], vmull_s8(vget_low_s8(x[p]), vget_low_s8(w)));
      v[1] = vpadalq_s16(v[1], vmull_high_s8(x[p], w));
    }
  }
}

AR_INLINE void accumulate(const int P, const int, const ar_gemm *gemm, const uint8_t *input,
                          const int8_t *weights, ar_i32 *acc) {
  const ptrdiff_t stride = gemm->position_stride;
  pairs sums[P];
  AR_UNROLL
  for (int p = 0; p < P; ++p) {
    AR_UNROLL
    for (int i = 0; i < 2 * AR_VECTORS; ++i) sums[p].v[i] = vdupq_n_s32(0);
  }
  for (int s = 0; s < gemm->segments; ++s) {
    const uint8_t *row = input + gemm->segment[s];
    for (int k = 0; k < gemm->dwords; ++k, row += 4, weights += 64)
      one_word(P, row, stride, weights, sums);
  }
  AR_UNROLL
  for (int p = 0; p < P; ++p) {
    AR_EACH
      acc[p].v[q] = vaddq_s32(acc[p].v[q], vpaddq_s32(sums[p].v[2 * q], sums[p].v[2 * q + 1]));
  }
}

#define AR_STRIPS
/* Sixteen accumulators of pairs: three would not leave room for products. */
enum { AR_AT_ONCE = 2 };
#define AR_TILES(T) T(1, 1) T(2, 1)
#define AR_TAP_TILES(T)
#include "simd/templates/gemm_int8.h"

AR_DEFINE_TILES(ar_gemm_tile_neon)
