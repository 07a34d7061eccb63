/* Tiles of bytes for CPUs with SMMLA: two positions by two channels, over eight bytes of depth, are
 * one instruction's. Weights of 16 channels lie in pairs of channels, eight bytes of each. */
#include "i8mm.h"

#include "isa.h"
#include "lanes.h"

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

/* Positions: 24 sums, and what they are made of, share the registers. */
enum { AR_AT_ONCE = 6, MOST_PAIRS = 3 };

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
/* The same of two that lie side by side. */
AR_INLINE int8x16_t load_paired(const uint8_t **both) {
  int8x16_t pair;
  __asm__("ldr %q0, [%1], #16" : "=&w"(pair), "+r"(*both) : : "memory");
  return pair;
}
AR_INLINE int8x16_t load_single(const uint8_t **a) {
  const int8x8_t half = vld1_s8((const int8_t *)*a);
  *a += 8;
  return vcombine_s8(half, vdup_n_s8(0));
}

/* Eight bytes of all positions with their weights. Of positions in pairs every second has a row. */
AR_INLINE void one_depth(const int P, const int paired, const uint8_t **row, const int8_t *weights,
                         squares *sums) {
  int8x16_t x[MOST_PAIRS];
  AR_UNROLL
  for (int p = 0; p < P; p += 2)
    x[p / 2] = paired      ? load_paired(&row[p])
               : p + 1 < P ? load_pair(&row[p], &row[p + 1])
                           : load_single(&row[p]);
  AR_UNROLL
  for (int i = 0; i < AR_SQUARES; ++i) {
    const int8x16_t w = vld1q_s8(weights + 16 * i);
    AR_UNROLL
    for (int k = 0; k < (P + 1) / 2; ++k) sums[k].v[i] = vmmlaq_s32(sums[k].v[i], x[k], w);
  }
}

/* From the bias on. It is loaded for each pair: that takes less than copies of registers do. */
AR_INLINE void begin(const int P, const ar_wide_header *header, squares *sums) {
  AR_UNROLL
  for (int k = 0; k < (P + 1) / 2; ++k) {
    const int32_t (*bias)[4] = header->bias;
    __asm__ volatile("" : "+r"(bias));
    AR_UNROLL
    for (int i = 0; i < AR_SQUARES; ++i) sums[k].v[i] = vld1q_s32(bias[i]);
  }
}

enum { DEPTH = 8 * AR_BLOCK }; /* bytes of weights of eight bytes of a position */

AR_INLINE void accumulate(const int P, const int paired, const ar_gemm *gemm, const uint8_t *input,
                          const int8_t *weights, squares *sums) {
  const ptrdiff_t stride = gemm->position_stride;
  const uint32_t eights = (uint32_t)gemm->dwords / 2;
  const int32_t *segment = gemm->segment, *const end = segment + gemm->segments;
  do {
    const uint8_t *row[AR_AT_ONCE];
    row[0] = input + *segment++;
    AR_UNROLL
    for (int p = 1; p < P; ++p) row[p] = row[p - 1] + stride;
    for (uint32_t twos = eights / 2; twos; --twos, weights += 2 * DEPTH) {
      one_depth(P, paired, row, weights, sums);
      one_depth(P, paired, row, weights + DEPTH, sums);
    }
    if (eights % 2) {
      one_depth(P, paired, row, weights, sums);
      weights += DEPTH;
    }
  } while (segment != end);
}

void ar_pair_neoni8mm(const uint8_t *source, int32_t count, int32_t bytes, uint8_t *staged) {
  const int8_t *a = (const int8_t *)source;
  int8_t *out = (int8_t *)staged;
  for (; count > 0; count -= 2, a += 2 * (ptrdiff_t)bytes) {
    const int8_t *b = count > 1 ? a + bytes : a;
    int32_t i = 0;
    for (; i + 16 <= bytes; i += 16, out += 32) {
      const int32x4_t x = vld1q_s32((const int32_t *)(a + i));
      const int32x4_t y = vld1q_s32((const int32_t *)(b + i));
      vst1q_s32((int32_t *)out, firsts(x, y));
      vst1q_s32((int32_t *)(out + 16), seconds(x, y));
    }
    if (i == bytes) continue;
    vst1_s8(out, vld1_s8(a + i));
    vst1_s8(out + 8, vld1_s8(b + i));
    out += 16;
  }
}

#define AR_OWN_TILES
#include "simd/templates/gemm_int8.h"

/* The reference's two roundings, where they are. */
AR_INLINE void round_squares(const int P, const int away, const ar_wide_header *header,
                             squares *sums) {
  AR_UNROLL
  for (int i = 0; i < AR_SQUARES; ++i) {
    const int32x4_t multiplier = vld1q_s32(header->multiplier[i]);
    const int32x4_t right = vld1q_s32(header->right[i]);
    AR_UNROLL
    for (int k = 0; k < (P + 1) / 2; ++k)
      sums[k].v[i] = ar_rounded_quarter(sums[k].v[i], multiplier, right, away);
  }
}

/* Of two bytes at a time, every second two. */
AR_INLINE int8x16_t even_twos(int8x16_t a, int8x16_t b) {
  return vreinterpretq_s8_s16(vuzp1q_s16(vreinterpretq_s16_s8(a), vreinterpretq_s16_s8(b)));
}
AR_INLINE int8x16_t odd_twos(int8x16_t a, int8x16_t b) {
  return vreinterpretq_s8_s16(vuzp2q_s16(vreinterpretq_s16_s8(a), vreinterpretq_s16_s8(b)));
}

/* Sixteen bytes of each of two positions. */
AR_INLINE int8x16x2_t pack_squares(const squares *sums, int16x8_t offset) {
  int16x8_t v[AR_SQUARES / 2];
  AR_UNROLL
  for (int i = 0; i < AR_SQUARES / 2; ++i)
    v[i] = vaddq_s16(vuzp1q_s16(vreinterpretq_s16_s32(sums->v[2 * i]),
                                vreinterpretq_s16_s32(sums->v[2 * i + 1])),
                     offset);
  const int8x16_t low = vqmovn_high_s16(vqmovn_s16(v[0]), v[1]);
  const int8x16_t high = vqmovn_high_s16(vqmovn_s16(v[2]), v[3]);
  return (int8x16x2_t){{even_twos(low, high), odd_twos(low, high)}};
}

/* Rounded products to outputs. */
AR_INLINE void store_squares(const int P, const ar_bounds to, ptrdiff_t channels,
                             int32_t valid_channels, const squares *sums, int8_t *output) {
  int8x16_t bytes[AR_AT_ONCE];
  AR_UNROLL
  for (int k = 0; k < (P + 1) / 2; ++k) {
    const int8x16x2_t two = pack_squares(&sums[k], to.offset);
    bytes[2 * k] = two.val[0];
    bytes[2 * k + 1] = two.val[1];
  }
  if (to.clamps) {
    AR_UNROLL
    for (int p = 0; p < P; ++p) bytes[p] = ar_clamp_bytes(bytes[p], to);
  }
  if (valid_channels >= AR_BLOCK) {
    AR_UNROLL
    for (int p = 0; p < P; ++p) vst1q_s8(output + p * channels, bytes[p]);
    return;
  }
  AR_UNROLL
  for (int p = 0; p < P; ++p) ar_store_some(output + p * channels, bytes[p], valid_channels);
}

/* What is no rounded product: position by position, as other tiles have them. */
AR_INLINE void finish_apart(const int P, const ar_gemm *gemm, ar_outputs outputs,
                            const squares *sums, const ar_requantize_block *blocks,
                            int32_t valid_channels, int8_t *output) {
  ar_i32 acc[AR_AT_ONCE];
  AR_UNROLL
  for (int k = 0; k < (P + 1) / 2; ++k) AR_EACH {
      acc[2 * k].v[q] = firsts(sums[k].v[2 * q], sums[k].v[2 * q + 1]);
      acc[2 * k + 1].v[q] = seconds(sums[k].v[2 * q], sums[k].v[2 * q + 1]);
    }
  finish_as(P, 1, gemm, outputs, acc, blocks, valid_channels, output);
}

/* How many positions there are, whether the outputs are rounded products and whether the input lies in
 * pairs: these are constants. */
AR_INLINE void positions(const int P, const int rounded, const int paired, const ar_gemm *gemm,
                         ar_outputs outputs, const uint8_t *input, const ar_wide_header *header,
                         const ar_requantize_block *blocks, int32_t valid_channels,
                         int8_t *output) {
  const int8_t *weights = (const int8_t *)(header + 1);
  squares sums[MOST_PAIRS];
  begin(P, header, sums);
  accumulate(P, paired, gemm, input, weights, sums);
  if (!rounded) {
    finish_apart(P, gemm, outputs, sums, blocks, valid_channels, output);
    return;
  }
  if (outputs.to.away) round_squares(P, 1, header, sums);
  else round_squares(P, 0, header, sums);
  store_squares(P, outputs.to, gemm->channels, valid_channels, sums, output);
}

/* Any number of positions by 16 channels: as often as there are so many at once, then the rest. */
AR_INLINE void all_positions(const int rounded, const int paired, const ar_gemm *gemm,
                             const uint8_t *input, const int8_t *weights,
                             const ar_requantize_block *blocks, int32_t valid_channels,
                             int8_t *output) {
  const ptrdiff_t in = AR_AT_ONCE * (ptrdiff_t)gemm->position_stride;
  const ptrdiff_t out = AR_AT_ONCE * (ptrdiff_t)gemm->channels;
  const ar_wide_header *header = (const ar_wide_header *)weights;
  ar_outputs outputs = outputs_of(1, gemm, blocks);
  if (rounded) outputs.to = ar_bounds_of_products(outputs.to, blocks);
#define AR_POSITIONS(P) \
  positions(P, rounded, paired, gemm, outputs, input, header, blocks, valid_channels, output);
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
#undef AR_POSITIONS
}

#define AR_STRIP(NAME, PAIRED)                                                                \
  static void other_##NAME(const ar_gemm *gemm, const uint8_t *input, const int8_t *weights,  \
                           const ar_requantize_block *blocks, int32_t valid_channels,         \
                           void *output) {                                                    \
    all_positions(0, PAIRED, gemm, input, weights, blocks, valid_channels, output);           \
  }                                                                                           \
  static void NAME(const ar_gemm *gemm, const uint8_t *input, const int8_t *weights,          \
                   const ar_requantize_block *blocks, int32_t valid_channels, void *output) { \
    if (blocks->mode == AR_REQUANT_BARE)                                                      \
      all_positions(1, PAIRED, gemm, input, weights, blocks, valid_channels, output);         \
    else other_##NAME(gemm, input, weights, blocks, valid_channels, output);                  \
  }
AR_STRIP(strip, 0)
AR_STRIP(paired_strip, 1)

/* A single position has no neighbour: SDOT does as much for it. */
ar_gemm_tile ar_gemm_tile_neoni8mm(int positions, int blocks, int paired) {
  if (positions < 2 || blocks != 1) return 0;
  return paired ? paired_strip : strip;
}
#pragma clang attribute pop
