/* int8 convolutions of 3x3 filters in fewer products, by Winograd's minimal filtering, in integers
 * and exact.
 *
 * Four outputs in a row are a product of polynomials, and that can be had from their values at
 * points. With stride 1 there are six (0, 1, -1, 2, -2 and infinity), in both directions 36
 * products for 4x4 outputs instead of 144. With stride 2, even inputs meet the filter's outer
 * taps, and odd ones its middle: two products of polynomials at the same five points (0, 1, -1, 2
 * and infinity) that add up there. Infinity has no part in the second, so 9 * 9 products remain.
 *
 * What the points' matrices have in fractions is multiplied out: 24 * 24 times the result
 * appears, or 6 * 6 times. All is computed modulo 2^32. 9 has an inverse there, and what is left
 * is a shift, so sums of up to 2^25, or 2^29, come out right whatever overflowed on the way.
 *
 * Facts: A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks, 2015.
 */
#pragma once

#include "gemm_conv.h"

enum {
  AR_WINOGRAD_OUT = 4,         /* rows and columns of outputs in a tile */
  AR_WINOGRAD_MOST_POINTS = 6, /* in one direction */
  AR_WINOGRAD_TILES = 8,       /* that are under way together, at most */
  AR_WINOGRAD_DEPTH = 16,      /* least channels: those of one vector of int16 */
  AR_WINOGRAD_BYTES = 1 << 23  /* of weights, at most: beyond caches, fetching them is too slow */
};
#define AR_WINOGRAD_NINTH INT32_C(0x38E38E39) /* its product with 9 is 1, modulo 2^32 */

typedef struct {
  ar_gemm gemm;          /* of one point, for one phase: positions are tiles */
  int32_t rows, columns; /* of the output */
  int32_t tile_rows, tile_columns;
  int32_t depth;
  int32_t row_bytes;                       /* of one staged (padded, u8) input row */
  int32_t blocks;                          /* of 16 filters */
  int32_t stride;                          /* 1 or 2 */
  int32_t points;                          /* in either direction: 6 or 5 */
  int32_t phases[AR_WINOGRAD_MOST_POINTS]; /* of inputs that a point of a row, or column, has */
  int32_t values;                          /* of a tile at all points, per channel: 36 or 81 */
} ar_winograd;

/* weights: [blocks][points][points][phases][depth / 2][16 lanes][2] of int16; blocks: one per 16
 * filters. The bias of a block stands for what the bytes leave out of their offset as well. */
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
ar_status ar_winograd_part(const void *params, const void *plan, const ar_tensor *io,
                           uint8_t *workspace, ar_share share);

/* Bytes of the workspace that a run uses: some tiles at all points, and their products with one
 * block of filters. */
static inline int64_t ar_winograd_values_bytes(const ar_winograd *w) {
  return ((int64_t)AR_WINOGRAD_TILES * w->values * w->depth * 2 + 63) / 64 * 64;
}
static inline int64_t ar_winograd_workspace(const ar_winograd *w) {
  return ar_winograd_values_bytes(w) + (int64_t)AR_WINOGRAD_TILES * w->points * w->points * 64;
}
