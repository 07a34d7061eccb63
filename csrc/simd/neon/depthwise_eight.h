/* Eight channels of an interleaved row: what the depthwise kernels of this folder share. A dword
 * holds four vertical taps of a channel. */
#include "lanes.h"

#include "convolution/interleaved_depthwise.h"
#include "simd/templates/requantize.h"

#define AR_BOTH \
  AR_UNROLL     \
  for (int q = 0; q < 2; ++q)

typedef struct {
  int32x4_t v[2];
} eight;

AR_INLINE eight load_eight(const void *p) {
  const int32_t *at = p;
  return (eight){{vld1q_s32(at), vld1q_s32(at + 4)}};
}

/* What eight channels have added up so far: dot(sums, x, w) adds the four products of a dword to each. */
#ifdef AR_DOT
typedef eight sums;
AR_INLINE sums sums_from(eight bias) { return bias; }
AR_INLINE sums dot(sums acc, eight x, eight w) {
  AR_BOTH
    acc.v[q] = vdotq_s32(acc.v[q], vreinterpretq_s8_s32(x.v[q]), vreinterpretq_s8_s32(w.v[q]));
  return acc;
}
AR_INLINE eight total(sums acc, eight bias) {
  (void)bias; /* which they began with */
  return acc;
}
#else
/* Two sums of each channel: products are added in pairs (SMULL, SADALP). */
typedef struct {
  int32x4_t v[4];
} sums;
AR_INLINE sums sums_from(eight bias) {
  const int32x4_t none = vdupq_n_s32(0);
  (void)bias; /* added in the end: to begin with it takes a copy of it */
  return (sums){{none, none, none, none}};
}
AR_INLINE sums dot(sums acc, eight x, eight w) {
  AR_BOTH {
    const int8x16_t a = vreinterpretq_s8_s32(x.v[q]), b = vreinterpretq_s8_s32(w.v[q]);
    acc.v[2 * q] = vpadalq_s16(acc.v[2 * q], vmull_s8(vget_low_s8(a), vget_low_s8(b)));
    acc.v[2 * q + 1] = vpadalq_s16(acc.v[2 * q + 1], vmull_high_s8(a, b));
  }
  return acc;
}
AR_INLINE eight total(sums acc, eight bias) {
  AR_BOTH bias.v[q] = vaddq_s32(bias.v[q], vpaddq_s32(acc.v[2 * q], acc.v[2 * q + 1]));
  return bias;
}
#endif

AR_INLINE void totals(const int COUNT, const sums *acc, eight bias, eight *out) {
  AR_UNROLL
  for (int i = 0; i < COUNT; ++i) out[i] = total(acc[i], bias);
}

/* The ways from sums to outputs that there is code for. */
typedef enum { UP, AWAY, LINES, EXACT, WAYS } way; /* two of rounded products; then all lines */

/* How sums of eight channels of a block become outputs. */
typedef struct {
  const ar_requantize_block *block;
  int32_t first; /* channel of the block: 0 or 8 */
  int32_t lanes; /* channels that exist: 1 to 8 */
  ar_bounds to;
} ending;

AR_INLINE eight bias_of(const ending *e) { return load_eight(e->block->bias + e->first); }

static __attribute__((noinline)) void exact_eights(int count, const ending *e, eight *acc) {
  if (e->block->integers->mode == AR_REQUANT_REAL) {
    const float *factor = e->block->scale + e->first, *offset = e->block->offset + e->first;
    AR_BOTH {
      const float32x4_t f = vld1q_f32(factor + 4 * q), o = vld1q_f32(offset + 4 * q);
      for (int i = 0; i < count; ++i) acc[i].v[q] = ar_on_reals_quarter(acc[i].v[q], f, o);
    }
    return;
  }
  for (int i = 0; i < count; ++i) {
    _Alignas(64) int32_t lanes[AR_BLOCK] = {0};
    memcpy(lanes + e->first, &acc[i], sizeof acc[i]);
    ar_save_i32(lanes, ar_requantize_exact(ar_load_i32(lanes), e->block));
    memcpy(&acc[i], lanes + e->first, sizeof acc[i]);
  }
}

AR_INLINE void on_lines(const int COUNT, const ending *e, eight *acc) {
  const float *scale = e->block->scale + e->first, *offset = e->block->offset + e->first;
  const float *negative = e->block->negative_offset + e->first;
  AR_BOTH {
    const float32x4_t s = vld1q_f32(scale + 4 * q), o = vld1q_f32(offset + 4 * q);
    const float32x4_t n = vld1q_f32(negative + 4 * q);
    AR_UNROLL
    for (int i = 0; i < COUNT; ++i) acc[i].v[q] = ar_on_signed_line_quarter(acc[i].v[q], s, o, n);
  }
}

/* Of rounded products: what eight channels need. */
typedef struct {
  eight multiplier, right;
} rounding;

AR_INLINE rounding rounding_of(const ending *e) {
  return (rounding){load_eight(e->block->scale + e->first),
                    load_eight(e->block->offset + e->first)};
}

AR_INLINE void round_products(const int AWAY_FROM_ZERO, const int COUNT, const rounding *by,
                              eight *acc) {
  AR_UNROLL
  for (int i = 0; i < COUNT; ++i) {
    AR_BOTH
      acc[i].v[q] =
          ar_rounded_quarter(acc[i].v[q], by->multiplier.v[q], by->right.v[q], AWAY_FROM_ZERO);
  }
}

/* Sums to outputs that are to be saturated and clamped. WAY is a constant. */
AR_INLINE void requantize_eights(const int WAY, const int COUNT, const ending *e,
                                 const rounding *by, eight *acc) {
  if (WAY <= AWAY) {
    round_products(WAY == AWAY, COUNT, by, acc);
    return;
  }
  if (WAY == LINES) {
    on_lines(COUNT, e, acc);
    return;
  }
  exact_eights(COUNT, e, acc);
}

/* Where eight bytes of each of some positions go: to two places in turn, which go on by a step. */
typedef struct {
  int8_t *first, *second;
  ptrdiff_t step;
} places;

enum { MOST_EIGHTS = 8 };

/* Outputs of COUNT positions, eight bytes of each; an odd last one stands twice. */
typedef struct {
  int8x16_t pair[MOST_EIGHTS / 2];
} packed_eights;

AR_INLINE packed_eights pack_eights(const int WAY, const int COUNT, const ending *e,
                                    const eight *acc) {
  packed_eights r;
  AR_UNROLL
  for (int i = 0; i < COUNT; i += 2) {
    const eight a = acc[i], b = acc[i + 1 < COUNT ? i + 1 : i];
    const int32x4_t v[4] = {a.v[0], a.v[1], b.v[0], b.v[1]};
    r.pair[i / 2] = WAY <= AWAY ? ar_pack_products(v, e->to.offset) : ar_pack_lanes(v);
  }
  if (e->to.clamps) {
    AR_UNROLL
    for (int i = 0; i < COUNT; i += 2) r.pair[i / 2] = ar_clamp_bytes(r.pair[i / 2], e->to);
  }
  return r;
}

AR_INLINE uint64_t bytes_of(const packed_eights *from, const int i) {
  const uint64x2_t both = vreinterpretq_u64_s8(from->pair[i / 2]);
  return i % 2 ? vgetq_lane_u64(both, 1) : vgetq_lane_u64(both, 0);
}

/* What COUNT positions have in common is asked once. */
AR_INLINE void store_eights(const int WAY, const int COUNT, const ending *e, const eight *acc,
                            const places to) {
  const packed_eights from = pack_eights(WAY, COUNT, e, acc);
  if (e->lanes == 8) {
    AR_UNROLL
    for (int i = 0; i < COUNT; ++i) {
      int8_t *const out = (i % 2 ? to.second : to.first) + i / 2 * to.step;
      if (i % 2) vst1_s8(out, vget_high_s8(from.pair[i / 2]));
      else vst1_s8(out, vget_low_s8(from.pair[i / 2]));
    }
    return;
  }
  AR_UNROLL
  for (int i = 0; i < COUNT; ++i)
    ar_store_bytes((i % 2 ? to.second : to.first) + i / 2 * to.step, bytes_of(&from, i), e->lanes);
}

/* The first `count` of COUNT positions, `step` apart. */
AR_INLINE void store_some_eights(const int WAY, const int COUNT, int32_t count, const ending *e,
                                 const eight *acc, int8_t *out, ptrdiff_t step) {
  const packed_eights from = pack_eights(WAY, COUNT, e, acc);
  AR_UNROLL
  for (int i = 0; i < COUNT; ++i, out += step) {
    if (i >= count) return;
    const uint64_t bytes = bytes_of(&from, i);
    if (e->lanes == 8) memcpy(out, &bytes, 8);
    else ar_store_bytes(out, bytes, e->lanes);
  }
}

/* Dword i of the result is bytes i of four rows. */
AR_INLINE void interleave(uint32_t *out, const uint8_t *const *rows, int32_t bytes) {
  const uint8_t *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  for (int32_t i = 0; i < bytes; i += 32, a += 32, b += 32, c += 32, d += 32, out += 32) {
    const uint8x16x4_t four = {{vld1q_u8(a), vld1q_u8(b), vld1q_u8(c), vld1q_u8(d)}};
    const uint8x16x4_t next = {
        {vld1q_u8(a + 16), vld1q_u8(b + 16), vld1q_u8(c + 16), vld1q_u8(d + 16)}};
    vst4q_u8((uint8_t *)out, four);
    vst4q_u8((uint8_t *)(out + 16), next);
  }
}

/* Of an interleaved row, with room for loads and stores past its end. */
static int32_t row_dwords(const ar_depthwise *d) { return (d->row_bytes + 31) / 32 * 32 + 32; }

/* The bounds of all channels; those of a block without rounded products need no offset. */
static ar_bounds bounds_of(const ar_depthwise *d, const ar_requantize_block *blocks) {
  const ar_bounds to = ar_set_bounds(d->activation_min, d->activation_max);
  for (int32_t i = 0; i < d->units; ++i)
    if (blocks[i].mode == AR_REQUANT_BARE) return ar_bounds_of_products(to, &blocks[i]);
  return to;
}

static way way_of(int32_t mode, const ar_bounds *to) {
  if (mode == AR_REQUANT_BARE) return to->away ? AWAY : UP;
  return mode <= AR_REQUANT_SIGNED ? LINES : EXACT;
}

AR_INLINE ending ending_of(const ar_depthwise *d, const ar_requantize_block *blocks,
                           const ar_bounds *to, int32_t c) {
  return (ending){.block = &blocks[c / AR_BLOCK],
                  .first = c % AR_BLOCK,
                  .lanes = d->channels - c < 8 ? d->channels - c : 8,
                  .to = *to};
}
