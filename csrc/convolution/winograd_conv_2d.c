/* Plans of the convolutions that winograd_conv_2d.h describes. */
#include "winograd_conv_2d.h"
#include "engine/share.h"
#include "records/window.h"

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
  return (int64_t)w->values * w->gemm.dwords * 64;
}

static ar_weight_sums sums_of(const ar_gemm_conv *p, int32_t filter) {
  ar_weight_sums sums = {0, 0};
  ar_sum_weights(&sums, (const int8_t *)p->weights + filter * p->filter_step, p->filter_step, 1);
  return sums;
}

/* Whether no input makes a sum that leaves 26 bits, or 30 with stride 2. */
static int fits(const ar_gemm_conv *p) {
  const int64_t most = (INT64_C(1) << (p->window.stride[0] == 1 ? 25 : 29)) - 1;
  for (int32_t filter = 0; filter < p->filters; ++filter) {
    const ar_weight_sums sums = sums_of(p, filter);
    if (255 * sums.positive > most || -255 * sums.negative > most) return 0;
  }
  return 1;
}

/* In products: those at the points, and what leads there and back takes the time of so many.
 * Loading the weights takes as long as two tiles. */
static int pays(const ar_winograd_isa *isa, const ar_gemm_conv *p, const ar_winograd *w) {
  const int64_t there = (int64_t)w->tile_rows * w->tile_columns, tiles = there < 2 ? 2 : there;
  const int64_t pairs = (int64_t)p->depth * p->filters;
  const int64_t tile = w->values * (pairs + 6 * (int64_t)p->depth) + 400 * (int64_t)p->filters;
  return isa->direct * tiles * tile < 9 * pairs * w->rows * w->columns;
}

static void set_points(ar_winograd *w) {
  int32_t all = 0;
  w->points = w->stride == 1 ? 6 : 5;
  for (int32_t i = 0; i < w->points; ++i) {
    w->phases[i] = w->stride == 2 && i != w->points - 1 ? 2 : 1;
    all += w->phases[i];
  }
  w->values = all * all;
  w->gemm.position_stride = w->values * w->depth * 2;
}

static ar_status describe(const ar_winograd_isa *isa, const ar_gemm_conv *p, winograd_plan *plan) {
  const Window *window = &p->window;
  const int32_t rows = window->output_size[0], columns = window->output_size[1];
  const int32_t stride = window->stride[0];
  if (p->is_float || p->input_offset < -127 || p->input_offset > 128) return AR_UNSUPPORTED;
  if (!ar_rescales(&p->rescaling, p->filters)) return AR_UNSUPPORTED;
  if (stride > 2 || window->stride[1] != stride) return AR_UNSUPPORTED;
  for (int i = 0; i < 2; ++i)
    if (window->filter_size[i] != 3 || window->dilation[i] != 1 ||
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
      .stride = stride,
  };
  set_points(&plan->winograd);
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
  plan->staged = ar_winograd_workspace(&plan->winograd);
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
  sizes->work = (int64_t)plan.batches * plan.winograd.rows * plan.winograd.columns * 9 *
                conv.depth * conv.filters;
  return AR_OK;
}

/* Two channels of 16 filters: [filter][2]. */
typedef int16_t lanes __attribute__((vector_size(64)));
typedef struct {
  lanes at[2][AR_WINOGRAD_MOST_POINTS]; /* [phase][point] */
} line_values;

/* The values of three weights at the six points, times 24; a third of that at infinity. */
static void at_six(const lanes *a, const lanes *b, const lanes *c, lanes *values) {
  const lanes outer = *a + *c, far = *a + 4 * *c;
  values[0] = 6 * *a;
  values[1] = -4 * (outer + *b);
  values[2] = -4 * (outer - *b);
  values[3] = far + 2 * *b;
  values[4] = far - 2 * *b;
  values[5] = 8 * *c;
}

/* The values of two weights at the five points, times 6. */
static void at_five(const lanes *a, const lanes *b, lanes *values) {
  values[0] = 3 * *a;
  values[1] = -3 * (*a + *b);
  values[2] = *b - *a;
  values[3] = *a + 2 * *b;
  values[4] = 6 * *b;
}

/* Three weights in one direction; with stride 2 the outer ones, and the middle one. */
static void at_points(const ar_winograd *w, const lanes *a, const lanes *b, const lanes *c,
                      line_values *v) {
  const lanes none = {0};
  if (w->stride == 1) {
    at_six(a, b, c, v->at[0]);
    return;
  }
  at_five(a, c, v->at[0]);
  at_five(b, &none, v->at[1]);
}

/* What filters have at a point and a phase lies `step` bytes behind what they have at the one
 * before. */
static void pack_channels(const ar_winograd *w, const lanes *taps, int64_t step, int8_t *packed) {
  line_values rows[3], columns[2][AR_WINOGRAD_MOST_POINTS];
  const int32_t phases = w->stride;
  for (int y = 0; y < 3; ++y)
    at_points(w, taps + 3 * y, taps + 3 * y + 1, taps + 3 * y + 2, &rows[y]);
  for (int phase = 0; phase < phases; ++phase)
    for (int x = 0; x < w->points; ++x)
      at_points(w, &rows[0].at[phase][x], &rows[1].at[phase][x], &rows[2].at[phase][x],
                &columns[phase][x]);
  for (int y = 0; y < w->points; ++y)
    for (int x = 0; x < w->points; ++x)
      for (int vertical = 0; vertical < w->phases[y]; ++vertical)
        for (int phase = 0; phase < w->phases[x]; ++phase, packed += step)
          memcpy(packed, &columns[phase][x].at[vertical][y], sizeof(lanes));
}

/* A block of up to 16 filters. */
static void pack_block(const ar_winograd *w, const ar_gemm_conv *p, int32_t first, int8_t *packed) {
  const int32_t rest = p->filters - first, count = rest < AR_BLOCK ? rest : AR_BLOCK;
  for (int32_t c = 0; c < w->depth; c += 2, packed += 64) {
    int16_t taps[9][2 * AR_BLOCK] = {{0}};
    lanes vectors[9];
    const int8_t *f = (const int8_t *)p->weights + first * p->filter_step + c;
    for (int32_t lane = 0; lane < count; ++lane, f += p->filter_step)
      for (int t = 0; t < 9; ++t)
        for (int i = 0; i < 2; ++i) taps[t][2 * lane + i] = f[t * w->depth + i];
    memcpy(vectors, taps, sizeof vectors);
    pack_channels(w, vectors, (int64_t)64 * w->gemm.dwords, packed);
  }
}

static ar_requantize_mode plan_filter(const ar_winograd_isa *isa, const ar_gemm_conv *p,
                                      int32_t filter, ar_requantize_block *block) {
  const int32_t lane = filter % AR_BLOCK;
  const int32_t b = p->bias ? ((const int32_t *)p->bias)[filter] : 0;
  const ar_weight_sums sums = sums_of(p, filter);
  const uint32_t sum = (uint32_t)(sums.positive + sums.negative);
  block->bias[lane] = (int32_t)((uint32_t)b + (uint32_t)(p->input_offset - 128) * sum);
  return isa->gemm->plan_lane(block, lane, &p->rescaling, filter, p->output_offset,
                              (int32_t)p->activation_min, (int32_t)p->activation_max,
                              ar_range_of(b, sums, p->input_offset));
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
  const uint32_t before = plan->enter ? plan->enter() : 0;
  for (int32_t filter = 0; filter < conv.filters; ++filter) {
    ar_requantize_block *block = &blocks[filter / AR_BLOCK];
    const ar_requantize_mode mode = plan_filter(isa, &conv, filter, block);
    if ((int32_t)mode > block->mode) block->mode = mode;
  }
  for (int32_t b = 0; b < w->blocks; ++b)
    pack_block(w, &conv, b * AR_BLOCK, packed + b * block_bytes(w));
  if (plan->leave) plan->leave(before);
  return AR_OK;
}

/* Rows of output, at least one tile's. */
static void run_rows(const winograd_plan *plan, const uint8_t *memory, const int8_t *input,
                     int8_t *output, uint8_t *workspace, ar_range_of_units rows) {
  ar_winograd w = plan->winograd;
  w.rows = (int32_t)(rows.end - rows.first);
  if (!w.rows) return;
  w.tile_rows = divide_up(w.rows, AR_WINOGRAD_OUT);
  const int32_t first = (int32_t)rows.first * w.stride, read = (w.rows - 1) * w.stride + 3;
  const ar_staged_part part = ar_staged_rows(&plan->staging, first, first + read);
  uint8_t *staged = workspace + plan->staged;
  plan->stage(&part.staging, input + (int64_t)part.first * plan->staging.row_bytes, staged);
  plan->run(&w, staged, (const int8_t *)memory + plan->weights,
            (const ar_requantize_block *)(memory + plan->blocks),
            output + rows.first * w.columns * w.gemm.channels, workspace);
}

ar_status ar_winograd_part(const void *, const void *memory, const ar_tensor *io,
                           uint8_t *workspace, ar_share share) {
  const winograd_plan *plan = memory;
  const ar_winograd *w = &plan->winograd;
  const int8_t *input = io[1].data;
  int8_t *output = io[0].data;
  const int64_t image = (int64_t)plan->staging.rows * plan->staging.row_bytes;
  const int64_t output_image = (int64_t)w->rows * w->columns * w->gemm.channels;
  ar_range_of_units rows = ar_units_of(share, w->rows / AR_WINOGRAD_OUT);
  rows.first *= AR_WINOGRAD_OUT;
  rows.end = share.number == share.count - 1 ? w->rows : rows.end * AR_WINOGRAD_OUT;
  const uint32_t before = plan->enter ? plan->enter() : 0;
  for (int32_t batch = 0; batch < plan->batches; ++batch)
    run_rows(plan, memory, input + batch * image, output + batch * output_image, workspace, rows);
  if (plan->leave) plan->leave(before);
  return AR_OK;
}

ar_status ar_winograd_run(const void *params, const void *memory, const ar_tensor *io,
                          uint8_t *workspace) {
  return ar_winograd_part(params, memory, io, workspace, ar_whole);
}
