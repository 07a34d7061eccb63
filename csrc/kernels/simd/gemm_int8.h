/* The tiles of int8: dot products, requantisation, clamped bytes. See gemm_tile.h for what to
 * define before; AR_PRODUCT and AR_SUM are defined here. */
#define AR_PRODUCT(acc, x, w) ar_dot(acc, x, w)
#define AR_SUM(a, b) ar_add_i32(a, b)
#include "gemm_tile.h"
#include "requantize.h"

AR_INLINE void store(const int P, const int NB, const ar_gemm *gemm, const ar_i32 *acc,
                     int32_t valid_channels, int8_t *output) {
  const ar_bound low = ar_set_bound((int8_t)gemm->low), high = ar_set_bound((int8_t)gemm->high);
  const int ALL = P * NB;
  if (gemm->channels == AR_BLOCK * NB && ALL % AR_STORE_BLOCKS == 0) {
#pragma clang loop unroll(full)
    for (int i = 0; i < ALL; i += AR_STORE_BLOCKS)
      ar_store_blocks(output + AR_BLOCK * i, acc + i, low, high);
    return;
  }
  const ptrdiff_t channels = gemm->channels;
  if (NB % AR_STORE_BLOCKS == 0 && valid_channels >= AR_BLOCK * NB) {
#pragma clang loop unroll(full)
    for (int i = 0; i < ALL; i += AR_STORE_BLOCKS)
      ar_store_blocks(output + i / NB * channels + AR_BLOCK * (i % NB), acc + i, low, high);
    return;
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < ALL; ++i)
    ar_store_lanes(output + i / NB * channels + AR_BLOCK * (i % NB), acc[i], low, high,
                   valid_channels - AR_BLOCK * (i % NB));
}

AR_INLINE void tile(const int P, const int NB, const int taps, const ar_gemm *gemm,
                    const uint8_t *input, const int8_t *weights, const ar_requantize_block *blocks,
                    int32_t valid_channels, int8_t *output) {
  ar_i32 acc[P * NB];
  products(P, NB, taps, gemm, input, weights, blocks, acc);

#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) {
    const ar_f32 scale = ar_load_f32(blocks[n].scale), offset = ar_load_f32(blocks[n].offset);
    if (blocks[n].mode == AR_REQUANT_FLOAT) {
#pragma clang loop unroll(full)
      for (int i = n; i < P * NB; i += NB) acc[i] = ar_on_line(acc[i], scale, offset);
    } else if (blocks[n].mode == AR_REQUANT_SIGNED) {
      const ar_f32 negative = ar_load_f32(blocks[n].negative_offset);
#pragma clang loop unroll(full)
      for (int i = n; i < P * NB; i += NB)
        acc[i] = ar_on_signed_line(acc[i], scale, offset, negative);
    } else {
#pragma clang loop unroll(full)
      for (int i = n; i < P * NB; i += NB) acc[i] = ar_requantize_exact(acc[i], &blocks[n]);
    }
  }
  store(P, NB, gemm, acc, valid_channels, output);
}
