/* Staged input, gathered rows, matrix product, requantisation. */
#include "gemm_conv.h"

#include <string.h>

#include "gemm.h"
#include "../staging.h"
#include "line_search.h"

typedef struct {
  ar_staging staging;
  ar_gemm gemm;
  int32_t batches;
  int32_t rows, columns;     /* output positions, as the tiles see them */
  int32_t row_stride;        /* bytes of staged input from one row of positions to the next */
  int32_t depth, filters;
  int32_t is_float;
  int32_t taps;              /* tap tiles, see gemm_tile.h */
  int32_t fold;              /* output columns that share a block of 16 channels */
  int32_t blocks;            /* of 16 channels */
  int32_t tile_blocks, tile_positions;
  int64_t weights, requantize; /* byte offsets of the packed data from the plan's start */
} conv_plan;

static int32_t round_up(int32_t n, int32_t to) { return (n + to - 1) / to * to; }

/* A tile takes at least as long as the latency of its products and the loads it makes. */
static int32_t tile_cost(int32_t positions, int32_t blocks) {
  int32_t products = positions * blocks, loads = positions + blocks;
  int32_t cost = products > loads ? products : loads;
  return cost > 8 ? cost : 8;
}

static ar_gemm_tile find_tile(const conv_plan *plan, int32_t positions) {
  return plan->is_float ? ar_gemm_float_tile_avx512(positions, plan->tile_blocks, plan->taps)
                        : ar_gemm_tile_avx512vnni(positions, plan->tile_blocks, plan->taps);
}

static int32_t best_positions(const conv_plan *plan) {
  const int32_t columns = plan->columns, blocks = plan->tile_blocks;
  int32_t best = 1, best_cost = INT32_MAX;
  for (int32_t p = 1; p <= 16 && p <= columns; ++p) {
    if (!find_tile(plan, p)) continue;
    int32_t cost = (columns + p - 1) / p * (tile_cost(p, blocks) + 1);
    if (cost < best_cost || (cost == best_cost && p > best)) best_cost = cost, best = p;
  }
  return best;
}

static int32_t tile_blocks(int32_t blocks) { return blocks % 4 == 0 || blocks > 4 ? 4 : blocks > 1 ? 2 : 1; }

static ar_status describe(const ar_gemm_conv *p, conv_plan *plan) {
  const Window *w = &p->window;
  const int32_t c = p->depth, filters = p->filters;
  const int32_t kh = w->filter_size[0], kw = w->filter_size[1];
  const int32_t bytes = p->is_float ? 4 : 1; /* per element */
  if (!p->is_float && (p->input_offset < -127 || p->input_offset > 128)) return AR_UNSUPPORTED;
  memset(plan, 0, sizeof *plan);
  ar_stage_window(&plan->staging, w, p->height, p->width, c * bytes,
                  p->is_float ? 0 : (uint8_t)(-p->input_offset ^ 0x80));
  plan->is_float = p->is_float;
  plan->batches = p->batches;
  plan->depth = c;
  plan->filters = filters;
  plan->rows = w->output_size[0];
  plan->columns = w->output_size[1];
  plan->row_stride = w->stride[0] * plan->staging.staged_row_bytes;
  ar_gemm *gemm = &plan->gemm;
  gemm->position_stride = w->stride[1] * c * bytes;
  gemm->channels = filters;
  gemm->low = (float)p->activation_min;
  gemm->high = (float)p->activation_max;
  plan->fold = 1;
  if (16 % filters == 0 && filters > 1 && plan->columns % (16 / filters) == 0 && w->dilation[1] == 1)
    plan->fold = 16 / filters;

  const int runs = w->dilation[1] == 1 ? 1 : kw;
  if (kh * runs > AR_MAX_SEGMENTS) return AR_UNSUPPORTED;
  const int32_t run = runs == 1 ? (kw + (plan->fold - 1) * w->stride[1]) * c : c;
  gemm->segments = kh * runs;
  gemm->dwords = round_up(run * bytes, 4) / 4;
  for (int32_t i = 0; i < kh; ++i)
    for (int32_t j = 0; j < runs; ++j)
      gemm->segment[i * runs + j] =
          i * w->dilation[0] * plan->staging.staged_row_bytes + j * w->dilation[1] * c * bytes;
  if (plan->fold > 1) {
    plan->columns /= plan->fold;
    gemm->position_stride *= plan->fold;
    gemm->channels = 16;
  }
  const int unit = kh == 1 && kw == 1 && w->stride[0] == 1 && w->stride[1] == 1;
  if (unit && plan->staging.staged_row_bytes == plan->staging.row_bytes &&
      plan->staging.staged_rows == plan->staging.rows) {
    plan->columns *= plan->rows * plan->batches;
    plan->staging.rows *= plan->batches;
    plan->staging.staged_rows = plan->staging.rows;
    plan->rows = plan->batches = 1;
  }
  plan->blocks = round_up(gemm->channels, 16) / 16;
  plan->tile_blocks = tile_blocks(plan->blocks);
  plan->blocks = round_up(plan->blocks, plan->tile_blocks);
  plan->taps = p->element_step == 1 && plan->tile_blocks == 1 && plan->fold == 1 && kw == 3 && runs == 1 &&
               w->stride[1] == 1 && c * bytes % 4 == 0 && plan->columns >= 8;
  plan->tile_positions = best_positions(plan);
  plan->requantize = round_up(sizeof *plan, 64);
  plan->weights = plan->requantize + (int64_t)plan->blocks * sizeof(ar_requantize_block);
  return AR_OK;
}

ar_status ar_gemm_conv_measure(const ar_gemm_conv *p, ar_sizes *sizes) {
  conv_plan plan;
  ar_status status = describe(p, &plan);
  if (status != AR_OK) return status;
  sizes->plan = plan.weights + (int64_t)plan.blocks * 64 * plan.gemm.segments * plan.gemm.dwords;
  sizes->workspace = ar_staged_bytes(&plan.staging);
  return AR_OK;
}

/* Elements of one filter that lie side by side in a segment. */
static int32_t run_elements(const conv_plan *plan, const ar_gemm_conv *p) {
  const Window *w = &p->window;
  const int whole_rows = plan->fold > 1 || w->dilation[1] == 1;
  return whole_rows ? w->filter_size[1] * plan->depth : plan->depth;
}

/* One lane whose filter lies anywhere: folded columns are shifted within their segments. */
static void pack_lane(const conv_plan *plan, const ar_gemm_conv *p, const int8_t *filter,
                      int32_t lane, int32_t column, int8_t *packed) {
  const ar_gemm *gemm = &plan->gemm;
  const int32_t run = run_elements(plan, p), bytes = plan->is_float ? 4 : 1;
  const int32_t shift = column * p->window.stride[1] * plan->depth;
  for (int32_t s = 0; s < gemm->segments; ++s)
    for (int32_t i = 0; i < run; ++i, filter += p->element_step * bytes) {
      const int32_t byte = (shift + i) * bytes;
      const int64_t dword = (int64_t)s * gemm->dwords + byte / 4;
      memcpy(packed + dword * plan->tile_blocks * 64 + lane * 4 + byte % 4, filter, bytes);
    }
}

/* Up to 16 lanes whose filters are contiguous: a dword of each at a time. */
static void pack_lanes(const conv_plan *plan, const ar_gemm_conv *p, const int8_t *filters,
                       int32_t lanes, int8_t *packed) {
  const int32_t bytes = plan->is_float ? 4 : 1;
  const int32_t run = run_elements(plan, p) * bytes, whole = run / 4, rest = run % 4;
  const int64_t step = p->filter_step * bytes, vector = (int64_t)plan->tile_blocks * 64;
  const int32_t depth = whole / 3; /* dwords of a tap */
  for (int32_t s = 0; s < plan->gemm.segments; ++s, filters += run) {
    for (int32_t d = 0; d < whole; ++d, packed += vector) {
      const int32_t from = plan->taps ? d % 3 * depth + d / 3 : d;
      for (int32_t lane = 0; lane < lanes; ++lane)
        memcpy(packed + lane * 4, filters + lane * step + from * 4, 4);
    }
    if (!rest) continue;
    for (int32_t lane = 0; lane < lanes; ++lane)
      memcpy(packed + lane * 4, filters + lane * step + whole * 4, rest);
    packed += vector;
  }
}

static void pack(const conv_plan *plan, const ar_gemm_conv *p, int8_t *packed) {
  const int32_t bytes = plan->is_float ? 4 : 1;
  const int64_t vectors = (int64_t)plan->gemm.segments * plan->gemm.dwords;
  const int32_t channels = plan->filters * plan->fold;
  for (int32_t first = 0; first < channels; first += 16) {
    const int32_t block = first / 16, lanes = channels - first < 16 ? channels - first : 16;
    const int32_t tile = block / plan->tile_blocks, n = block % plan->tile_blocks;
    int8_t *start = packed + (tile * vectors * plan->tile_blocks + n) * 64;
    const int8_t *filters = (const int8_t *)p->weights + first * p->filter_step * bytes;
    if (plan->fold == 1 && p->element_step == 1) {
      pack_lanes(plan, p, filters, lanes, start);
      continue;
    }
    for (int32_t lane = 0; lane < lanes; ++lane) {
      const int32_t filter = (first + lane) % plan->filters;
      pack_lane(plan, p, (const int8_t *)p->weights + filter * p->filter_step * bytes, lane,
                (first + lane) / plan->filters, start);
    }
  }
}

/* Bias with the input's offset folded in, and the way to the output, of one int8 channel. */
static ar_requantize_mode plan_lane(const ar_gemm_conv *p, const int8_t *f, int32_t filter,
                                    int64_t filter_size, ar_requantize_block *block,
                                    int32_t lane) {
  int32_t sum = 0;
  const int32_t b = p->bias ? ((const int32_t *)p->bias)[filter] : 0;
  ar_range range = {b, b};
  for (int64_t i = 0; i < filter_size; ++i) {
    const int32_t weight = f[i * p->element_step];
    sum += weight;
    ar_range_add(&range, weight, p->input_offset);
  }
  block->bias[lane] =
      (int32_t)((uint32_t)b + (uint32_t)(p->input_offset - 128) * (uint32_t)sum);
  return ar_plan_lane_avx512vnni(block, lane, p->multiplier[filter], p->shift[filter],
                                 p->output_offset, (int32_t)p->activation_min,
                                 (int32_t)p->activation_max, range);
}

ar_status ar_gemm_conv_plan(const ar_gemm_conv *p, void *memory) {
  conv_plan *plan = memory;
  ar_status status = describe(p, plan);
  if (status != AR_OK) return status;
  const Window *w = &p->window;
  const int64_t filter_size = (int64_t)w->filter_size[0] * w->filter_size[1] * plan->depth;
  ar_requantize_block *blocks = (ar_requantize_block *)((uint8_t *)memory + plan->requantize);
  int8_t *packed = (int8_t *)memory + plan->weights;
  memset(blocks, 0, (size_t)plan->blocks * sizeof *blocks);
  memset(packed, 0, (size_t)plan->blocks * 64 * plan->gemm.segments * plan->gemm.dwords);
  for (int32_t channel = 0; channel < plan->filters * plan->fold; ++channel) {
    const int32_t filter = channel % plan->filters, block = channel / 16, lane = channel % 16;
    const int8_t *f =
        (const int8_t *)p->weights + filter * p->filter_step * (plan->is_float ? 4 : 1);
    if (plan->is_float) {
      const float b = p->bias ? ((const float *)p->bias)[filter] : 0.0f;
      memcpy(&blocks[block].bias[lane], &b, sizeof b);
    } else {
      const ar_requantize_mode mode = plan_lane(p, f, filter, filter_size, &blocks[block], lane);
      if ((int32_t)mode > blocks[block].mode) blocks[block].mode = mode;
    }
  }
  pack(plan, p, packed);
  return AR_OK;
}

/* The input where the tiles can read it: floats that need no border stay where they are. */
static const uint8_t *stage(const conv_plan *plan, const uint8_t *input, uint8_t *workspace) {
  if (!plan->is_float) {
    ar_stage(&plan->staging, (const int8_t *)input, workspace);
    return workspace;
  }
  if (ar_needs_no_border(&plan->staging)) return input;
  ar_stage_zero(&plan->staging, input, workspace);
  return workspace;
}

ar_status ar_gemm_conv_run(const void *memory, const void *input, void *output,
                           uint8_t *workspace) {
  const conv_plan *plan = memory;
  const ar_requantize_block *blocks =
      (const ar_requantize_block *)((const uint8_t *)memory + plan->requantize);
  const int8_t *packed = (const int8_t *)memory + plan->weights;
  const int32_t positions = plan->tile_positions, n = plan->tile_blocks;
  const int32_t bytes = plan->is_float ? 4 : 1;
  const int64_t tile_bytes = (int64_t)plan->gemm.segments * plan->gemm.dwords * 64 * n;
  const int64_t image = (int64_t)plan->staging.rows * plan->staging.row_bytes;
  const int64_t position_bytes = (int64_t)plan->gemm.channels * bytes;
  const ar_gemm_tile tile = find_tile(plan, positions);
  uint8_t *out = output;
  for (int32_t batch = 0; batch < plan->batches; ++batch) {
    const uint8_t *staged = stage(plan, (const uint8_t *)input + batch * image, workspace);
    for (int32_t block = 0; block < plan->blocks; block += n)
      for (int32_t row = 0; row < plan->rows; ++row)
        for (int32_t column = 0; column < plan->columns; column += positions) {
          /* The last tile starts early enough to be whole: it computes some columns twice. */
          int32_t start = column + positions > plan->columns ? plan->columns - positions : column;
          tile(&plan->gemm,
               staged + (int64_t)row * plan->row_stride +
                   (int64_t)start * plan->gemm.position_stride,
               packed + block / n * tile_bytes, blocks + block,
               plan->gemm.channels - 16 * block,
               out + ((int64_t)row * plan->columns + start) * position_bytes + 16 * block * bytes);
        }
    out += (int64_t)plan->rows * plan->columns * position_bytes;
  }
  return AR_OK;
}
