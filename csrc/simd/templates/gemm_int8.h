/* The tiles of int8: dot products, requantisation, clamped bytes. See gemm_tile.h for what to
 * define before; AR_PRODUCT and AR_SUM are defined here. With AR_OWN_TILES defined there are only
 * the ways from accumulators to bytes. */
#ifndef AR_OWN_TILES
#define AR_PRODUCT(acc, x, w) ar_dot(acc, x, w)
#define AR_SUM(a, b) ar_add_i32(a, b)
#include "gemm_tile.h"
#endif
#include "requantize.h"

/* Accumulators `first` to `first + count` on their lines. */
AR_INLINE void on_lines(const int lines, const int NB, const int first, const int count,
                        ar_i32 *acc, const ar_requantize_block *blocks) {
  (void)lines;
#pragma clang loop unroll(full)
  for (int i = first; i < first + count; ++i) {
    const ar_f32 scale = ar_load_f32(blocks[i % NB].scale);
    const ar_f32 offset = ar_load_f32(blocks[i % NB].offset);
#ifdef AR_HAS_BARE_LINES
    if (lines == AR_REQUANT_BARE) {
      acc[i] = ar_on_bare_line(acc[i], scale, offset);
      continue;
    }
#endif
    acc[i] = ar_on_line(acc[i], scale, offset);
  }
}

enum { NO_LINES = -1 };

/* With `lines`, AR_REQUANT_FLOAT or AR_REQUANT_BARE, what is stored is put on its line just before:
 * registers are free earlier. */
AR_INLINE void store(const int P, const int NB, const int lines, const ar_bounds to,
                     const ar_gemm *gemm, ar_i32 *acc, const ar_requantize_block *blocks,
                     int32_t valid_channels, int8_t *output) {
  const int ALL = P * NB;
  const ptrdiff_t channels = gemm->channels;
  if (gemm->channels == AR_BLOCK * NB && ALL % AR_STORE_BLOCKS == 0) {
#pragma clang loop unroll(full)
    for (int i = 0; i < ALL; i += AR_STORE_BLOCKS) {
      if (lines != NO_LINES) on_lines(lines, NB, i, AR_STORE_BLOCKS, acc, blocks);
      ar_store_blocks(output + AR_BLOCK * i, acc + i, to);
    }
    return;
  }
  if (NB % AR_STORE_BLOCKS == 0 && valid_channels >= AR_BLOCK * NB) {
#pragma clang loop unroll(full)
    for (int i = 0; i < ALL; i += AR_STORE_BLOCKS) {
      if (lines != NO_LINES) on_lines(lines, NB, i, AR_STORE_BLOCKS, acc, blocks);
      ar_store_blocks(output + i / NB * channels + AR_BLOCK * (i % NB), acc + i, to);
    }
    return;
  }
  if (NB == 1 && ALL % AR_STORE_BLOCKS == 0 && valid_channels >= AR_BLOCK) {
#pragma clang loop unroll(full)
    for (int i = 0; i < ALL; i += AR_STORE_BLOCKS) {
      if (lines != NO_LINES) on_lines(lines, 1, i, AR_STORE_BLOCKS, acc, blocks);
      ar_store_apart(output + i * channels, channels, acc + i, to);
    }
    return;
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < ALL; ++i) {
    if (lines != NO_LINES) on_lines(lines, NB, i, 1, acc, blocks);
    ar_store_lanes(output + i / NB * channels + AR_BLOCK * (i % NB), acc[i], to,
                   valid_channels - AR_BLOCK * (i % NB));
  }
}

#ifdef AR_HAS_ROUNDED_PRODUCTS
/* Block n of all positions. */
AR_INLINE void round_products(const int P, const int NB, const int n, const int away, ar_i32 *acc,
                              const ar_requantize_block *blocks) {
  const ar_i32 multiplier = ar_load_i32(blocks[n].scale), right = ar_load_i32(blocks[n].offset);
#pragma clang loop unroll(full)
  for (int i = n; i < P * NB; i += NB) acc[i] = ar_rounded_product(acc[i], multiplier, right, away);
}

/* All before any is stored: what they need is loaded once. Whether halves go away from zero is a
 * constant. */
AR_INLINE void round_all_products(const int P, const int NB, ar_bounds to, ar_i32 *acc,
                                  const ar_requantize_block *blocks) {
  if (to.away) {
#pragma clang loop unroll(full)
    for (int n = 0; n < NB; ++n) round_products(P, NB, n, 1, acc, blocks);
    return;
  }
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) round_products(P, NB, n, 0, acc, blocks);
}
#endif

#ifdef AR_STRIPS
/* A function of its own: the constants of this way, which few tiles go, would keep registers in the
 * loop over positions. */
static __attribute__((noinline)) void exact_some(int count, ar_i32 *acc,
                                                 const ar_requantize_block *block) {
  for (int i = 0; i < count; ++i) acc[i] = ar_requantize_exact(acc[i], block);
}
#endif

/* Block n of all positions by the reference's integers, or by MNN's floats. */
AR_INLINE void exact_positions(const int P, const int NB, const int n, ar_i32 *acc,
                               const ar_requantize_block *block) {
#ifdef AR_STRIPS
  ar_i32 some[AR_MAX_TILE_POSITIONS];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) some[p] = acc[p * NB + n];
  exact_some(P, some, block);
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) acc[p * NB + n] = some[p];
#else
#pragma clang loop unroll(full)
  for (int i = n; i < P * NB; i += NB) acc[i] = ar_requantize_exact(acc[i], block);
#endif
}

/* Block by block: each in its own mode. */
AR_INLINE void requantize(const int P, const int NB, ar_i32 *acc,
                          const ar_requantize_block *blocks) {
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) {
    const ar_f32 scale = ar_load_f32(blocks[n].scale), offset = ar_load_f32(blocks[n].offset);
    if (blocks[n].mode == AR_REQUANT_FLOAT) {
#pragma clang loop unroll(full)
      for (int i = n; i < P * NB; i += NB) acc[i] = ar_on_line(acc[i], scale, offset);
#ifdef AR_HAS_BARE_LINES
    } else if (blocks[n].mode == AR_REQUANT_BARE) {
#pragma clang loop unroll(full)
      for (int i = n; i < P * NB; i += NB) acc[i] = ar_on_bare_line(acc[i], scale, offset);
#endif
#ifdef AR_HAS_ROUNDED_PRODUCTS
    } else if (blocks[n].mode == AR_REQUANT_BARE) { /* beside a block that is not */
      const ar_i32 offsets = ar_load_i32(blocks[n].negative_offset);
      round_products(P, NB, n, 1, acc, blocks);
#pragma clang loop unroll(full)
      for (int i = n; i < P * NB; i += NB) acc[i] = ar_add_i32(acc[i], offsets);
#endif
    } else if (blocks[n].mode == AR_REQUANT_SIGNED) {
      const ar_f32 negative = ar_load_f32(blocks[n].negative_offset);
#pragma clang loop unroll(full)
      for (int i = n; i < P * NB; i += NB)
        acc[i] = ar_on_signed_line(acc[i], scale, offset, negative);
    } else {
      exact_positions(P, NB, n, acc, &blocks[n]);
    }
  }
}

/* What a tile's outputs are, as all of its positions see it. Mostly there is no need to clamp, and
 * all blocks have one mode; otherwise it is SLOW here. */
typedef struct {
  ar_bounds to;
  int32_t mode;
} ar_outputs;

AR_INLINE ar_outputs outputs_of(const int NB, const ar_gemm *gemm,
                                const ar_requantize_block *blocks) {
  ar_outputs outputs = {ar_set_bounds((int8_t)gemm->low, (int8_t)gemm->high), blocks[0].mode};
#pragma clang loop unroll(full)
  for (int n = 1; n < NB; ++n)
    if (blocks[n].mode != outputs.mode) outputs.mode = AR_REQUANT_SLOW;
  return outputs;
}

/* A store that knows at compile time whether it clamps. */
AR_INLINE void store_clamped(const int P, const int NB, const int lines, ar_bounds to,
                             const ar_gemm *gemm, ar_i32 *acc, const ar_requantize_block *blocks,
                             int32_t valid_channels, int8_t *output) {
  if (to.clamps) {
    to.clamps = 1;
    store(P, NB, lines, to, gemm, acc, blocks, valid_channels, output);
    return;
  }
  to.clamps = 0;
  store(P, NB, lines, to, gemm, acc, blocks, valid_channels, output);
}

/* From accumulators to clamped bytes. */
AR_INLINE void finish_as(const int P, const int NB, const ar_gemm *gemm, ar_outputs outputs,
                         ar_i32 *acc, const ar_requantize_block *blocks, int32_t valid_channels,
                         int8_t *output) {
  ar_bounds to = outputs.to;
#ifdef AR_HAS_ROUNDED_PRODUCTS
  if (outputs.mode == AR_REQUANT_BARE) {
    to = ar_bounds_of_products(to, blocks);
    round_all_products(P, NB, to, acc, blocks);
    store_clamped(P, NB, NO_LINES, to, gemm, acc, blocks, valid_channels, output);
    return;
  }
#endif
#ifdef AR_HAS_BARE_LINES
  const int fastest = AR_REQUANT_BARE;
#else
  const int fastest = AR_REQUANT_FLOAT;
#endif
  if (outputs.mode == fastest) {
    store_clamped(P, NB, fastest, to, gemm, acc, blocks, valid_channels, output);
    return;
  }
  requantize(P, NB, acc, blocks);
  to.clamps = 1;
  store(P, NB, NO_LINES, to, gemm, acc, blocks, valid_channels, output);
}

AR_INLINE void finish(const int P, const int NB, const ar_gemm *gemm, ar_i32 *acc,
                      const ar_requantize_block *blocks, int32_t valid_channels, int8_t *output) {
  finish_as(P, NB, gemm, outputs_of(NB, gemm, blocks), acc, blocks, valid_channels, output);
}

#ifdef AR_OWN_TILES
#elif defined AR_STRIPS
/* P positions, as often as a tile has P of them. */
AR_INLINE void tile(const int P, const int NB, const int taps, const ar_gemm *gemm,
                    const uint8_t *input, const int8_t *weights, const ar_requantize_block *blocks,
                    int32_t valid_channels, int8_t *output) {
  const ar_outputs outputs = outputs_of(NB, gemm, blocks);
  const ptrdiff_t in = P * (ptrdiff_t)gemm->position_stride, out = P * (ptrdiff_t)gemm->channels;
  ar_i32 acc[P * NB];
  for (int32_t left = gemm->positions; left > 0; left -= P, input += in, output += out) {
    products(P, NB, taps, gemm, input, weights, blocks, acc);
    finish_as(P, NB, gemm, outputs, acc, blocks, valid_channels, output);
  }
}
#else
AR_INLINE void tile(const int P, const int NB, const int taps, const ar_gemm *gemm,
                    const uint8_t *input, const int8_t *weights, const ar_requantize_block *blocks,
                    int32_t valid_channels, int8_t *output) {
  ar_i32 acc[P * NB];
  products(P, NB, taps, gemm, input, weights, blocks, acc);
  finish(P, NB, gemm, acc, blocks, valid_channels, output);
}
#endif
