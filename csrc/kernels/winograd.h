/* int8 convolutions of 3x3 filters with stride 1 in a quarter of the products, by Winograd's
 * minimal filtering F(4x4, 3x3), in integers and exact.
 *
 * A tile of 4x4 outputs comes from 6x6 inputs: both are seen as polynomials, and multiplied by
 * their values at six points (0, 1, -1, 2, -2 and infinity) in either direction, 36 products
 * instead of 144. What the points' matrices have in fractions is multiplied out, so that 576
 * times the result appears. All is computed modulo 2^32: 576 is 9 * 64, 9 has an inverse, and
 * 64 divides what is left, so sums of up to 2^25 come out right whatever overflowed on the way.
 *
 * Facts: A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks, 2015.
 */
#ifndef ARENITE_WINOGRAD_H
#define ARENITE_WINOGRAD_H

#include "gemm_conv.h"

enum {
  AR_WINOGRAD_OUT = 4,          /* rows and columns of outputs in a tile */
  AR_WINOGRAD_IN = 6,           /* of inputs, and of points */
  AR_WINOGRAD_POINTS = 36,
  AR_WINOGRAD_TILES = 8,        /* that are under way together, at most */
  AR_WINOGRAD_DEPTH = 16,       /* least channels: those of one vector of int16 */
  AR_WINOGRAD_BYTES = 1 << 23   /* of weights, at most: beyond caches, fetching them is too slow */
};
#define AR_WINOGRAD_NINTH INT32_C(0x38E38E39) /* its product with 9 is 1, modulo 2^32 */

typedef struct {
  ar_gemm gemm;          /* of one point: positions are tiles */
  int32_t rows, columns; /* of the output */
  int32_t tile_rows, tile_columns;
  int32_t depth;
  int32_t row_bytes;     /* of one staged (padded, u8) input row */
  int32_t blocks;        /* of 16 filters */
} ar_winograd;

/* weights: [blocks][36 points][depth / 2][16 lanes][2] of int16; blocks: one per 16 filters.
 * The bias of a block stands for what the bytes leave out of their offset as well. */
typedef void (*ar_winograd_fn)(const ar_winograd *w, const uint8_t *input, const int8_t *weights,
                               const ar_requantize_block *blocks, int8_t *output,
                               uint8_t *workspace);

/* What an instruction set brings to it. */
typedef struct {
  int32_t direct; /* products that a direct convolution makes in the time of one of int16 */
  ar_winograd_fn run;
  const ar_gemm_isa *gemm; /* for lines */
} ar_winograd_isa;

ar_status ar_winograd_measure(const ar_winograd_isa *isa, const void *params, const ar_tensor *io,
                              ar_sizes *sizes);
ar_status ar_winograd_plan(const ar_winograd_isa *isa, const void *params, const ar_tensor *io,
                           void *plan);
ar_status ar_winograd_run(const void *params, const void *plan, const ar_tensor *io,
                          uint8_t *workspace);

#define AR_WINOGRAD_KERNEL(KERNEL, ISA)                                                       \
  static ar_status KERNEL##_measure(const void *params, const ar_tensor *io, ar_sizes *sizes) { \
    return ar_winograd_measure(ISA, params, io, sizes);                                       \
  }                                                                                           \
  static ar_status KERNEL##_plan(const void *params, const ar_tensor *io, void *plan) {       \
    return ar_winograd_plan(ISA, params, io, plan);                                           \
  }                                                                                           \
  const ar_kernel KERNEL = {"CONV_2D", KERNEL##_measure, KERNEL##_plan, ar_winograd_run};

/* Bytes of the workspace that a run uses: the points of some tiles, and their products with one
 * block of filters. */
static inline int64_t ar_winograd_values_bytes(int32_t depth) {
  return ((int64_t)AR_WINOGRAD_TILES * AR_WINOGRAD_POINTS * depth * 2 + 63) / 64 * 64;
}
static inline int64_t ar_winograd_workspace(int32_t depth) {
  return ar_winograd_values_bytes(depth) + (int64_t)AR_WINOGRAD_TILES * AR_WINOGRAD_POINTS * 64;
}

#endif
