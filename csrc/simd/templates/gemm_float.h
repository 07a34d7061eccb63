/* The tiles of float32: a dword is a float, and of a block only the bias is used. See
 * gemm_tile.h for what to define before; AR_PRODUCT and AR_SUM are defined here. */
#define AR_PRODUCT(acc, x, w) ar_dot_float(acc, x, w)
#define AR_SUM(a, b) ar_int_bits(ar_add_f32(ar_float_bits(a), ar_float_bits(b)))
#include "gemm_tile.h"

AR_INLINE void finish(const int P, const int NB, const ar_gemm *gemm, const ar_i32 *acc,
                      int32_t valid_channels, float *output) {
  const ar_f32 low = ar_set_f32(gemm->low), high = ar_set_f32(gemm->high);
#pragma clang loop unroll(full)
  for (int n = 0; n < NB; ++n) {
    const int left = valid_channels - AR_BLOCK * n;
    if (left <= 0) return;
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p)
      ar_store_floats(output + (ptrdiff_t)p * gemm->channels + AR_BLOCK * n,
                      ar_float_bits(acc[p * NB + n]), low, high, left);
  }
}

/* P positions; with AR_STRIPS defined, as often as a tile has P of them. */
AR_INLINE void tile(const int P, const int NB, const int taps, const ar_gemm *gemm,
                    const uint8_t *input, const int8_t *weights, const ar_requantize_block *blocks,
                    int32_t valid_channels, float *output) {
  ar_i32 acc[P * NB];
#ifdef AR_STRIPS
  const ptrdiff_t in = P * (ptrdiff_t)gemm->position_stride, out = P * (ptrdiff_t)gemm->channels;
  for (int32_t left = gemm->positions; left > 0; left -= P, input += in, output += out) {
    products(P, NB, taps, gemm, input, weights, blocks, acc);
    finish(P, NB, gemm, acc, valid_channels, output);
  }
#else
  products(P, NB, taps, gemm, input, weights, blocks, acc);
  finish(P, NB, gemm, acc, valid_channels, output);
#endif
}
