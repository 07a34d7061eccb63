/* What is known of a convolution as a matrix product before it runs: gemm_conv.c fills it,
 * gemm_conv_weights.c packs by it, gemm_conv_run.c obeys. */
#pragma once

#include "gemm_conv.h"
#include "grouped.h"

/* How parts of the work differ: in blocks of channels, or in where their outputs are. */
typedef enum { BY_ROWS, BY_COLUMNS, BY_BLOCKS } way;

typedef struct {
  ar_staging staging;
  ar_gemm gemm;
  ar_gemm_tile tile;
  ar_stage_fn stage; /* NULL for float, and for bytes that are read where they are */
  ar_pair_fn pair;   /* of flat positions that are read in pairs, instead of `stage` */
  ar_enter_fn enter; /* NULL for float, like the next */
  ar_leave_fn leave;
  void (*forget_nan)(void); /* for folded floats, NULL otherwise */
  int (*met_nan)(void);
  int32_t batches;
  int32_t rows, columns; /* output positions, as the tiles see them */
  int32_t row_stride;    /* bytes of staged input from one row of positions to the next */
  int32_t depth, filters;
  int32_t element_bytes; /* of an element of input and output: 1 or 4 */
  int32_t staged_bytes;  /* of an element as the tiles see it: 1, 2 or 4 */
  int32_t weight_bytes;  /* of a channel that lie side by side: 4 or 8 */
  int32_t taps;          /* tap tiles, see simd/templates/gemm_tile.h */
  int32_t fold;          /* output columns that share a block of 16 channels */
  int32_t blocks;        /* of 16 channels */
  int32_t transposed;    /* the tile of transposed.h: each block is one filter, in all lanes */
  int32_t tile_blocks, tile_positions;
  way shared;             /* also how one part goes through bands: by columns or by rows */
  int32_t is_flat;        /* all positions are one row, each a column of bytes side by side */
  int32_t window_rows;    /* staged rows that a row of positions reads */
  int32_t band;           /* positions of a row, or rows, that go through the caches together */
  int32_t row_step;       /* staged rows from one row of positions to the next */
  int32_t position_bytes; /* of the input from one position to the next, where all are flat */
  int64_t image, results; /* bytes of one image of input and output */
  int64_t tile_bytes;     /* of the weights of tile_blocks */
  int64_t weights, requantize; /* byte offsets of the packed data from the plan's start */
} conv_plan;

/* Elements of one filter that lie side by side in a segment. */
static inline int32_t ar_run_elements(const conv_plan *plan, const ar_gemm_conv *p) {
  const Window *w = &p->window;
  return w->dilation[1] == 1 ? w->filter_size[1] * plan->depth : plan->depth;
}

/* The filters of a block, from `first` on. */
static inline ar_filters ar_filters_of(const conv_plan *plan, const ar_gemm_conv *p,
                                       int32_t first) {
  const int32_t rest = plan->filters - first;
  return (ar_filters){
      .gemm = &plan->gemm,
      .filters = (const int8_t *)p->weights + first * p->filter_step,
      .step = p->filter_step,
      .lanes = rest < AR_BLOCK ? rest : AR_BLOCK,
      .run = ar_run_elements(plan, p),
  };
}

/* Of the weights of all blocks. */
static inline int64_t ar_packed_bytes(const conv_plan *plan) {
  return plan->blocks / plan->tile_blocks * plan->tile_bytes;
}

/* Packs weights, and before those of wide tiles what they find of their `blocks`. */
void ar_gemm_conv_pack(const ar_gemm_isa *isa, const conv_plan *plan, const ar_gemm_conv *conv,
                       const ar_requantize_block *blocks, int8_t *packed);
