/* Staged input, matrix product, requantisation, as gemm_conv.c has planned them. */
#include "gemm_conv_plan.h"

#include "engine/share.h"

/* Outputs of one image: rows and columns of positions, and blocks of channels. */
typedef struct {
  int32_t row, row_end, column, column_end, block, block_end;
} region;

/* Where one image's tensors and a plan's data are. */
typedef struct {
  const uint8_t *input;
  uint8_t *output, *workspace;
  const int8_t *packed;
  const ar_requantize_block *blocks;
} places;

/* The columns [column, column_end) of a row of bytes without a border. */
static const uint8_t *stage_columns(const conv_plan *plan, const places *at, const region *r) {
  const uint8_t *input = at->input + (int64_t)r->column * plan->position_bytes;
  if (plan->pair) {
    plan->pair(input, r->column_end - r->column, plan->gemm.position_stride, at->workspace);
    return at->workspace;
  }
  if (!plan->stage) return input;
  ar_staging part = plan->staging;
  part.rows = part.staged_rows = 1;
  part.row_bytes = part.staged_row_bytes = (r->column_end - r->column) * plan->gemm.position_stride;
  plan->stage(&part, (const int8_t *)input, at->workspace);
  return at->workspace;
}

/* The input of a region where the tiles can read it, from its first position on: what needs
 * neither a border nor another form stays where it is. */
static const uint8_t *stage(const conv_plan *plan, const places *at, const region *r) {
  if (plan->is_flat) return stage_columns(plan, at, r);
  const int32_t step = plan->row_step;
  const ar_staged_part part =
      ar_staged_rows(&plan->staging, r->row * step, (r->row_end - 1) * step + plan->window_rows);
  const int64_t row = (int64_t)plan->staging.row_bytes / plan->staged_bytes * plan->element_bytes;
  const uint8_t *input = at->input + part.first * row;
  if (plan->stage) plan->stage(&part.staging, (const int8_t *)input, at->workspace);
  else if (ar_needs_no_border(&plan->staging)) return input;
  else ar_stage_zero(&part.staging, input, at->workspace);
  return at->workspace;
}

/* All tiles of a region, which has whole rows, or is flat and begins with its first column. */
static void run_region(const conv_plan *plan, const places *at, const region *r) {
  const int32_t positions = plan->tile_positions, n = plan->tile_blocks;
  const int32_t bytes = plan->element_bytes, channels = plan->gemm.channels;
  const uint8_t *staged = stage(plan, at, r);
  for (int32_t block = r->block; block < r->block_end; block += n)
    for (int32_t row = r->row; row < r->row_end; ++row)
      for (int32_t column = r->column; column < r->column_end; column += positions) {
        /* The last tile starts early enough to be whole: it computes some columns twice. */
        const int32_t last = r->column_end - positions, start = column > last ? last : column;
        plan->tile(
            &plan->gemm,
            staged + (int64_t)(row - r->row) * plan->row_stride +
                (int64_t)(start - r->column) * plan->gemm.position_stride,
            at->packed + block / n * plan->tile_bytes, at->blocks + block,
            channels - AR_BLOCK * block,
            at->output +
                (((int64_t)row * plan->columns + start) * channels + AR_BLOCK * block) * bytes);
      }
}

/* A region band by band. The last one is not too small for a tile. */
static void run_bands(const conv_plan *plan, const places *at, region r) {
  const int32_t band = plan->band, least = plan->is_flat ? plan->tile_positions : 1;
  int32_t *first = plan->is_flat ? &r.column : &r.row;
  int32_t *end = plan->is_flat ? &r.column_end : &r.row_end;
  const int32_t last = *end;
  for (; *first < last; *first = *end) {
    *end = last - *first < band + least ? last : *first + band;
    run_region(plan, at, &r);
  }
}

/* What a part computes of every image; nothing, where there are not as many tiles. */
static region region_of(const conv_plan *plan, ar_share share) {
  region r = {0, plan->rows, 0, plan->columns, 0, plan->blocks};
  if (share.count == 1) return r;
  const int32_t positions = plan->tile_positions, n = plan->tile_blocks;
  if (plan->shared == BY_BLOCKS) {
    const ar_range_of_units some = ar_units_of(share, plan->blocks / n);
    r.block = (int32_t)some.first * n;
    r.block_end = (int32_t)some.end * n;
    if (r.block == r.block_end) r.row_end = r.column_end = 0;
  } else if (plan->shared == BY_ROWS) {
    const ar_range_of_units some = ar_units_of(share, plan->rows);
    r.row = (int32_t)some.first;
    r.row_end = (int32_t)some.end;
  } else {
    const ar_range_of_units some = ar_units_of(share, plan->columns / positions);
    r.column = (int32_t)some.first * positions;
    r.column_end = (int32_t)some.end * positions;
    if (share.number == share.count - 1) r.column_end = plan->columns;
  }
  return r;
}

/* A folded filter meets its neighbours' inputs with zeros, which an infinity makes no number of:
 * AR_UNSUPPORTED leaves those to the reference. */
ar_status ar_gemm_conv_part(const void *memory, const void *input, void *output, uint8_t *workspace,
                            ar_share share) {
  const conv_plan *plan = memory;
  places at = {
      .input = input,
      .output = output,
      .workspace = workspace,
      .packed = (const int8_t *)memory + plan->weights,
      .blocks = (const ar_requantize_block *)((const uint8_t *)memory + plan->requantize),
  };
  const region r = region_of(plan, share);
  const uint32_t before = plan->enter ? plan->enter() : 0;
  if (plan->forget_nan) plan->forget_nan();
  for (int32_t batch = 0; batch < plan->batches; ++batch) {
    run_bands(plan, &at, r);
    at.input += plan->image;
    at.output += plan->results;
  }
  if (plan->leave) plan->leave(before);
  return plan->met_nan && plan->met_nan() ? AR_UNSUPPORTED : AR_OK;
}

ar_status ar_gemm_conv_run(const void *plan, const void *input, void *output, uint8_t *workspace) {
  return ar_gemm_conv_part(plan, input, output, workspace, ar_whole);
}
