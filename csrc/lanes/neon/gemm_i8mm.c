/* Tiles of bytes for CPUs with SMMLA: two positions by two channels, over eight bytes of depth, are
 * one instruction's. Weights of 16 channels lie in pairs of channels, eight bytes of each. */
#include "i8mm.h"

#include "isa.h"
#include "lanes.h"

#define AR_OWN_LOOPS

/* A pair of positions by 16 channels: in a register there are channels 2 * i and 2 * i + 1 of the
 * first position, then of the second. */
enum { AR_SQUARES = 2 * AR_VECTORS };
typedef struct {
  int32x4_t v[AR_SQUARES];
} squares;

AR_INLINE int32x4_t firsts(int32x4_t a, int32x4_t b) {
  return vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}
AR_INLINE int32x4_t seconds(int32x4_t a, int32x4_t b) {
  return vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

/* Eight bytes of two positions, which both go on. Left to itself, the compiler finds an address for
 * every half by instructions of their own: LD1 of a lane takes no offset. */
AR_INLINE int8x16_t load_pair(const uint8_t **a, const uint8_t **b) {
  int8x16_t pair;
  __asm__("ldr %d0, [%1], #8\n\tld1 {%0.d}[1], [%2], #8"
          : "=&w"(pair), "+r"(*a), "+r"(*b)
          :
          : "memory");
  return pair;
}
AR_INLINE int8x16_t load_single(const uint8_t **a) {
  const int8x8_t half = vld1_s8((const int8_t *)*a);
  *a += 8;
  return vcombine_s8(half, vdup_n_s8(0));
}

enum { AR_AT_ONCE = 6 }; /* positions: 24 sums, and what they are made of, share the registers */

/* Eight bytes of all positions with their weights. */
AR_INLINE void one_depth(const int P, const uint8_t **row, const int8_t *weights, squares *sums) {
  int8x16_t x[AR_AT_ONCE / 2];
  AR_UNROLL for (int p = 0; p < P; p += 2) x[p / 2] =
      p + 1 < P ? load_pair(&row[p], &row[p + 1]) : load_single(&row[p]);
  AR_UNROLL for (int i = 0; i < AR_SQUARES; ++i) {
    const int8x16_t w = vld1q_s8(weights + 16 * i);
    AR_UNROLL for (int k = 0; k < (P + 1) / 2; ++k) sums[k].v[i] = vmmlaq_s32(sums[k].v[i], x[k], w);
  }
}

/* The last position of an odd number has no neighbour. */
#define AR_SECOND(k) (2 * (k) + 1 < P ? 2 * (k) + 1 : 2 * (k))

AR_INLINE void accumulate(const int P, const int NB, const ar_gemm *gemm, const uint8_t *input,
                          const int8_t *weights, ar_i32 *acc) {
  const int PAIRS = (P + 1) / 2;
  const ptrdiff_t stride = gemm->position_stride;
  const uint32_t eights = (uint32_t)gemm->dwords / 2;
  squares sums[AR_AT_ONCE / 2];
  (void)NB;
  AR_UNROLL for (int k = 0; k < PAIRS; ++k) AR_EACH {
    sums[k].v[2 * q] = firsts(acc[2 * k].v[q], acc[AR_SECOND(k)].v[q]);
    sums[k].v[2 * q + 1] = seconds(acc[2 * k].v[q], acc[AR_SECOND(k)].v[q]);
  }
  for (int s = 0; s < gemm->segments; ++s) {
    const uint8_t *row[AR_AT_ONCE];
    AR_UNROLL for (int p = 0; p < P; ++p) row[p] = input + gemm->segment[s] + p * stride;
    for (uint32_t k = 0; k < eights; ++k, weights += 8 * AR_BLOCK)
      one_depth(P, row, weights, sums);
  }
  AR_UNROLL for (int k = 0; k < PAIRS; ++k) AR_EACH {
    acc[2 * k].v[q] = firsts(sums[k].v[2 * q], sums[k].v[2 * q + 1]);
    if (2 * k + 1 < P) acc[2 * k + 1].v[q] = seconds(sums[k].v[2 * q], sums[k].v[2 * q + 1]);
  }
}

#define AR_TILES(T)
#define AR_TAP_TILES(T)
#include "lanes/templates/gemm_int8.h"

/* Any number of positions by 16 channels: as often as there are so many at once, then the rest. */
static void strip(const ar_gemm *gemm, const uint8_t *input, const int8_t *weights,
                  const ar_requantize_block *blocks, int32_t valid_channels, void *to) {
  const ar_outputs outputs = outputs_of(1, gemm, blocks);
  const ptrdiff_t in = AR_AT_ONCE * (ptrdiff_t)gemm->position_stride;
  const ptrdiff_t out = AR_AT_ONCE * (ptrdiff_t)gemm->channels;
  int8_t *output = to;
  ar_i32 acc[AR_AT_ONCE];
#define AR_POSITIONS(P)                                                \
  products(P, 1, 0, gemm, input, weights, blocks, acc);                \
  finish_as(P, 1, gemm, outputs, acc, blocks, valid_channels, output);
  int32_t left = gemm->positions;
  for (; left >= AR_AT_ONCE; left -= AR_AT_ONCE, input += in, output += out) {
    AR_POSITIONS(AR_AT_ONCE)
  }
  switch (left) {
    case 1: AR_POSITIONS(1) break;
    case 2: AR_POSITIONS(2) break;
    case 3: AR_POSITIONS(3) break;
    case 4: AR_POSITIONS(4) break;
    case 5: AR_POSITIONS(5) break;
  }
}

/* A single position has no neighbour: SDOT does as much for it. */
ar_gemm_tile ar_gemm_tile_neoni8mm(int positions, int blocks, int taps) {
  return positions > 1 && blocks == 1 && !taps ? strip : 0;
}
#pragma clang attribute pop
