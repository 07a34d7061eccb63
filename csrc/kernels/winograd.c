/* Plans of the convolutions that winograd.h describes. */
#include "winograd.h"

#include <string.h>

typedef struct {
  ar_staging staging;
  ar_winograd winograd;
  ar_winograd_fn run;
  ar_stage_fn stage;
  ar_enter_fn enter;
  ar_leave_fn leave;
  int32_t batches;
  int64_t blocks, weights, staged; /* byte offsets: of the plan, the plan, the workspace */
} winograd_plan;

static int32_t divide_up(int32_t n, int32_t by) { return (n + by - 1) / by; }

/* Packed weights of 16 filters. */
static int64_t block_bytes(const ar_winograd *w) {
  return (int64_t)AR_WINOGRAD_POINTS * w->gemm.dwords * 64;
}

static ar_weight_sums sums_of(const ar_gemm_conv *p, int32_t filter) {
  ar_weight_sums sums = {0, 0};
  ar_sum_weights(&sums, (const int8_t *)p->weights + filter * p->filter_step, p->filter_step, 1);
  return sums;
}

/* Whether no input makes a sum that leaves 26 bits. */
static int fits(const ar_gemm_conv *p) {
  const int64_t most = (INT64_C(1) << 25) - 1;
  for (int32_t filter = 0; filter < p->filters; ++filter) {
    const ar_weight_sums sums = sums_of(p, filter);
    if (255 * sums.positive > most || -255 * sums.negative > most) return 0;
  }
  return 1;
}

/* In products: those at the points, and what leads there and back takes the time of so many. */
static int pays(const ar_winograd_isa *isa, const ar_gemm_conv *p, const ar_winograd *w) {
  const int64_t tiles = (int64_t)w->tile_rows * w->tile_columns;
  const int64_t pairs = (int64_t)p->depth * p->filters;
  const int64_t tile = AR_WINOGRAD_POINTS * pairs + 200 * (int64_t)p->depth +
                       400 * (int64_t)p->filters;
  return isa->direct * tiles * tile < 9 * pairs * w->rows * w->columns;
}

static ar_status describe(const ar_winograd_isa *isa, const ar_gemm_conv *p,
                          winograd_plan *plan) {
  const Window *window = &p->window;
  const int32_t rows = window->output_size[0], columns = window->output_size[1];
  if (p->is_float || p->input_offset < -127 || p->input_offset > 128) return AR_UNSUPPORTED;
  for (int i = 0; i < 2; ++i)
    if (window->filter_size[i] != 3 || window->stride[i] != 1 || window->dilation[i] != 1 ||
        window->output_size[i] < AR_WINOGRAD_OUT)
      return AR_UNSUPPORTED;
  if (p->depth < AR_WINOGRAD_DEPTH || p->depth % 2 || p->filters < 1) return AR_UNSUPPORTED;
  memset(plan, 0, sizeof *plan);
  const ar_status staged = ar_stage_window(&plan->staging, window, p->height, p->width, p->depth,
                                           (uint8_t)(-p->input_offset ^ 0x80));
  if (staged != AR_OK) return staged;
  plan->winograd = (ar_winograd){
      .gemm =
          {
              .segments = 1,
              .dwords = p->depth / 2,
              .position_stride = AR_WINOGRAD_POINTS * p->depth * 2,
              .channels = p->filters,
              .low = (float)p->activation_min,
              .high = (float)p->activation_max,
          },
      .rows = rows,
      .columns = columns,
      .tile_rows = divide_up(rows, AR_WINOGRAD_OUT),
      .tile_columns = divide_up(columns, AR_WINOGRAD_OUT),
      .depth = p->depth,
      .row_bytes = plan->staging.staged_row_bytes,
      .blocks = divide_up(p->filters, AR_BLOCK),
  };
  if (!pays(isa, p, &plan->winograd)) return AR_UNSUPPORTED;
  if (plan->winograd.blocks * block_bytes(&plan->winograd) > AR_WINOGRAD_BYTES)
    return AR_UNSUPPORTED;
  plan->run = isa->run;
  plan->stage = ar_stage;
  plan->enter = isa->gemm->enter;
  plan->leave = isa->gemm->leave;
  plan->batches = p->batches;
  plan->blocks = (sizeof *plan + 63) / 64 * 64;
  plan->weights = plan->blocks + plan->winograd.blocks * (int64_t)sizeof(ar_requantize_block);
  plan->staged = ar_winograd_workspace(p->depth);
  return AR_OK;
}

ar_status ar_winograd_measure(const ar_winograd_isa *isa, const void *params, const ar_tensor *io,
                              ar_sizes *sizes) {
  ar_gemm_conv conv;
  ar_status status = ar_conv_2d_problem(params, io, &conv);
  if (status != AR_OK) return status;
  winograd_plan plan;
  status = describe(isa, &conv, &plan);
  if (status != AR_OK) return status;
  if (!fits(&conv)) return AR_UNSUPPORTED;
  sizes->plan = plan.weights + plan.winograd.blocks * block_bytes(&plan.winograd) +
                plan.winograd.blocks * (int64_t)sizeof(ar_requantize_integers);
  sizes->workspace = plan.staged + ar_staged_bytes(&plan.staging);
  return AR_OK;
}

/* The values of three weights at the six points, times 24; a third of that at infinity. */
static void at_points(const int32_t *w, int32_t step, int32_t *values) {
  const int32_t a = w[0], b = w[step], c = w[2 * step];
  values[0] = 6 * a;
  values[1] = -4 * (a + b + c);
  values[2] = -4 * (a - b + c);
  values[3] = a + 2 * b + 4 * c;
  values[4] = a - 2 * b + 4 * c;
  values[5] = 8 * c;
}

/* One channel of a filter: 9 weights that lie `depth` apart. Points of a lane lie `step` bytes
 * apart; none is beyond 144 * 128. */
static void pack_channel(const int8_t *weights, int32_t depth, int64_t step, int8_t *packed) {
  int32_t w[9], rows[3 * AR_WINOGRAD_IN];
  for (int i = 0; i < 9; ++i) w[i] = weights[i * depth];
  for (int y = 0; y < 3; ++y) at_points(w + 3 * y, 1, rows + AR_WINOGRAD_IN * y);
  for (int x = 0; x < AR_WINOGRAD_IN; ++x) {
    int32_t values[AR_WINOGRAD_IN];
    at_points(rows + x, AR_WINOGRAD_IN, values);
    for (int y = 0; y < AR_WINOGRAD_IN; ++y) {
      const int16_t value = (int16_t)values[y];
      memcpy(packed + (y * AR_WINOGRAD_IN + x) * step, &value, sizeof value);
    }
  }
}

static ar_requantize_mode plan_filter(const ar_winograd_isa *isa, const ar_gemm_conv *p,
                                      int32_t filter, ar_requantize_block *block) {
  const int32_t lane = filter % AR_BLOCK;
  const int32_t b = p->bias ? ((const int32_t *)p->bias)[filter] : 0;
  const ar_weight_sums sums = sums_of(p, filter);
  const uint32_t sum = (uint32_t)(sums.positive + sums.negative);
  block->bias[lane] = (int32_t)((uint32_t)b + (uint32_t)(p->input_offset - 128) * sum);
  return isa->gemm->plan_lane(block, lane, p->multiplier[filter], p->shift[filter],
                              p->output_offset, (int32_t)p->activation_min,
                              (int32_t)p->activation_max, ar_range_of(b, sums, p->input_offset));
}

ar_status ar_winograd_plan(const ar_winograd_isa *isa, const void *params, const ar_tensor *io,
                           void *memory) {
  ar_gemm_conv conv;
  ar_status status = ar_conv_2d_problem(params, io, &conv);
  if (status != AR_OK) return status;
  winograd_plan *plan = memory;
  status = describe(isa, &conv, plan);
  if (status != AR_OK) return status;
  const ar_winograd *w = &plan->winograd;
  ar_requantize_block *blocks = (ar_requantize_block *)((uint8_t *)memory + plan->blocks);
  int8_t *packed = (int8_t *)memory + plan->weights;
  const int64_t packed_bytes = w->blocks * block_bytes(w);
  ar_clear_blocks(blocks, (ar_requantize_integers *)(packed + packed_bytes), w->blocks);
  memset(packed, 0, (size_t)packed_bytes);
  const uint32_t before = plan->enter ? plan->enter() : 0;
  for (int32_t filter = 0; filter < conv.filters; ++filter) {
    ar_requantize_block *block = &blocks[filter / AR_BLOCK];
    const ar_requantize_mode mode = plan_filter(isa, &conv, filter, block);
    if ((int32_t)mode > block->mode) block->mode = mode;
    const int8_t *weights = (const int8_t *)conv.weights + filter * conv.filter_step;
    int8_t *lane = packed + filter / AR_BLOCK * block_bytes(w) + filter % AR_BLOCK * 4;
    for (int32_t c = 0; c < w->depth; ++c)
      pack_channel(weights + c, w->depth, (int64_t)64 * w->gemm.dwords,
                   lane + c / 2 * 64 + c % 2 * 2);
  }
  if (plan->leave) plan->leave(before);
  return AR_OK;
}

ar_status ar_winograd_run(const void *params, const void *memory, const ar_tensor *io,
                          uint8_t *workspace) {
  (void)params;
  const winograd_plan *plan = memory;
  const ar_winograd *w = &plan->winograd;
  const int8_t *input = io[1].data;
  int8_t *output = io[0].data;
  uint8_t *staged = workspace + plan->staged;
  const int64_t image = (int64_t)plan->staging.rows * plan->staging.row_bytes;
  const int64_t output_image = (int64_t)w->rows * w->columns * w->gemm.channels;
  const uint32_t before = plan->enter ? plan->enter() : 0;
  for (int32_t batch = 0; batch < plan->batches; ++batch) {
    plan->stage(&plan->staging, input + batch * image, staged);
    plan->run(w, staged, (const int8_t *)memory + plan->weights,
              (const ar_requantize_block *)((const uint8_t *)memory + plan->blocks),
              output + batch * output_image, workspace);
  }
  if (plan->leave) plan->leave(before);
  return AR_OK;
}
