/* DEPTHWISE_CONV_2D: int8 activations and weights, int32 bias.
 *
 * One output channel per input channel goes to the depthwise kernel; one input channel is an
 * ordinary convolution with as many filters as there are outputs.
 */
#include <string.h>

#include "engine/share.h"
#include "interleaved_depthwise.h"
#include "gemm_conv.h"
#include "staging.h"
#include "records/depthwise_conv_2d.h"
#include "records/window.h"

typedef struct {
  int32_t is_gemm;
  int32_t is_in_place; /* the image is what would be staged */
  int32_t batches;
  ar_depthwise depthwise;
  ar_depthwise_fn run;
  ar_stage_fn stage;
  ar_enter_fn enter;
  ar_leave_fn leave;
  int64_t blocks, packed, weights, integers; /* byte offsets in the plan */
  int64_t staged;                            /* and in the workspace */
} depthwise_plan;

/* SLOWER: products of depthwise convolutions next to those of others. */
enum { HEADER = 256, SLOWER = 3, MOST_REPEATED = 64 };

static ar_gemm_conv gemm_problem(const DepthwiseConv2DParams *params, const ar_rescaling *rescaling,
                                 const ar_tensor *io) {
  ar_gemm_conv conv = ar_depthwise_as_gemm(params, io);
  conv.rescaling = *rescaling;
  return conv;
}

static ar_status check(const DepthwiseConv2DParams *params, const ar_rescaling *rescaling,
                       const ar_tensor *io) {
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2], *bias = &io[3];
  if (x->type != AR_INT8 || weights->type != AR_INT8 || y->type != AR_INT8) return AR_UNSUPPORTED;
  if (bias->type != AR_ABSENT && (bias->type != AR_INT32 || !bias->data)) return AR_UNSUPPORTED;
  if (!weights->data || params->input_offset < -127 || params->input_offset > 128)
    return AR_UNSUPPORTED;
  if (x->rank != 4 || weights->rank != 4) return AR_UNSUPPORTED;
  const int32_t *filter = weights->dims, channels = filter[3];
  if (!ar_slides(&params->window, y, x, filter[1], filter[2], channels) || filter[0] != 1)
    return AR_UNSUPPORTED;
  if (params->depth_multiplier < 1 || channels != (int64_t)x->dims[3] * params->depth_multiplier)
    return AR_UNSUPPORTED;
  return ar_has_or_lacks(bias, channels) && ar_rescales(rescaling, channels) ? AR_OK
                                                                             : AR_UNSUPPORTED;
}

static int64_t packed_bytes(const ar_depthwise *d) {
  return (int64_t)64 * d->units * d->groups * d->filter_columns;
}

static ar_status describe(const ar_depthwise_isa *isa, const DepthwiseConv2DParams *params,
                          const ar_tensor *io, depthwise_plan *plan) {
  const ar_tensor *x = &io[1];
  const Window window = ar_plain_window(&params->window), *w = &window;
  const int32_t c = x->dims[3];
  if (c < 1 || w->filter_size[0] > isa->group * AR_MAX_DEPTHWISE_GROUPS) return AR_UNSUPPORTED;
  const int32_t groups = (w->filter_size[0] + isa->group - 1) / isa->group;
  if (params->depth_multiplier != 1) return AR_UNSUPPORTED;
  memset(plan, 0, sizeof *plan);
  plan->batches = x->dims[0];
  ar_staging staging;
  const ar_status staged = ar_stage_window(&staging, w, x->dims[1], x->dims[2], c,
                                           (uint8_t)(-params->input_offset ^ 0x80));
  if (staged != AR_OK) return staged;
  plan->depthwise = (ar_depthwise){
      .staging = staging,
      .output_rows = w->output_size[0],
      .image_rows = w->output_size[0],
      .output_columns = w->output_size[1],
      .channels = c,
      .row_bytes = staging.staged_row_bytes,
      .filter_rows = w->filter_size[0],
      .filter_columns = w->filter_size[1],
      .stride_rows = w->stride[0],
      .stride_columns = w->stride[1],
      .dilation_rows = w->dilation[0],
      .dilation_columns = w->dilation[1],
      .groups = groups,
      .units = ar_round_up(c, isa->lanes) / AR_BLOCK,
      .activation_min = (int8_t)params->activation_min,
      .activation_max = (int8_t)params->activation_max,
  };
  plan->blocks = HEADER;
  plan->packed = plan->blocks + plan->depthwise.units * (int64_t)sizeof(ar_requantize_block);
  const int64_t arranged = isa->arranged_bytes ? isa->arranged_bytes(&plan->depthwise) : 0;
  plan->weights = plan->packed + (arranged ? packed_bytes(&plan->depthwise) : 0);
  plan->integers = plan->packed + packed_bytes(&plan->depthwise) + arranged;
  plan->staged = isa->workspace(&plan->depthwise);
  if (plan->staged > AR_MAX_STAGED_BYTES) return AR_UNSUPPORTED; /* many rows of few bytes */
  plan->run = isa->run;
  plan->stage = isa->stage;
  if (isa->in_place && ar_needs_no_border(&staging) && staging.row_bytes % isa->in_place == 0) {
    plan->stage = 0;
    plan->is_in_place = 1;
  }
  plan->enter = isa->gemm->enter;
  plan->leave = isa->gemm->leave;
  return AR_OK;
}

static ar_rescaling rescaling_of(const DepthwiseConv2DParams *params) {
  return (ar_rescaling){.multiplier = params->multiplier, .shift = params->shift};
}

ar_status ar_depthwise_measure(const ar_depthwise_isa *isa, const void *params, const ar_tensor *io,
                               ar_sizes *sizes) {
  const ar_rescaling rescaling = rescaling_of(params);
  return ar_depthwise_measure_rescaled(isa, params, &rescaling, io, sizes);
}

ar_status ar_depthwise_measure_rescaled(const ar_depthwise_isa *isa,
                                        const DepthwiseConv2DParams *params,
                                        const ar_rescaling *rescaling, const ar_tensor *io,
                                        ar_sizes *sizes) {
  ar_status status = check(params, rescaling, io);
  if (status != AR_OK) return status;
  if (io[1].dims[3] == 1) {
    const ar_gemm_conv conv = gemm_problem(params, rescaling, io);
    status = ar_gemm_conv_measure(isa->gemm, &conv, sizes);
    sizes->plan += HEADER;
    return status;
  }
  depthwise_plan plan;
  status = describe(isa, params, io, &plan);
  if (status != AR_OK) return status;
  const ar_depthwise *d = &plan.depthwise;
  sizes->plan = plan.integers + d->units * (int64_t)sizeof(ar_requantize_integers);
  sizes->workspace = plan.staged + (plan.stage ? ar_staged_bytes(&d->staging) : 0);
  sizes->work = SLOWER * plan.batches * d->output_rows * d->output_columns * d->channels *
                d->filter_rows * d->filter_columns;
  return AR_OK;
}

/* Writes a weight for row y of a group of filter rows. */
static void put(const ar_depthwise_isa *isa, int8_t *packed, int32_t y, int8_t weight) {
  const int16_t wide = weight;
  if (isa->group == 4) packed[y % 4] = weight;
  else memcpy(packed + y % 2 * 2, &wide, sizeof wide);
}

/* What was found for the channels before, to be tried first: where lanes repeat channels, for each of
 * these. */
typedef struct {
  ar_known_line line[MOST_REPEATED], bare[MOST_REPEATED];
} known_lines;

static int repeats_channels(const ar_depthwise_isa *isa, const ar_depthwise *d) {
  return isa->lanes <= MOST_REPEATED && isa->lanes % d->channels == 0;
}

/* One lane: its channel's weights, a group of filter rows to a dword, and its requantisation. */
static ar_requantize_mode plan_interleaved_lane(const ar_depthwise_isa *isa, ar_plan_lane plan_lane,
                                                const DepthwiseConv2DParams *params,
                                                const ar_rescaling *rescaling, const ar_tensor *io,
                                                const ar_depthwise *d, int32_t i,
                                                known_lines *known, ar_requantize_block *block,
                                                int8_t *packed) {
  const int8_t *weights = io[2].data;
  const int32_t *bias = io[3].type == AR_ABSENT ? 0 : io[3].data;
  const int32_t unit = i / AR_BLOCK, lane = i % AR_BLOCK;
  const int32_t c = isa->channel ? isa->channel(d, i) : i % d->channels;
  const int32_t b = bias ? bias[c] : 0;
  ar_weight_sums sums = {0, 0};
  for (int32_t y = 0; y < d->filter_rows; ++y)
    for (int32_t x = 0; x < d->filter_columns; ++x) {
      const int8_t weight = weights[(int64_t)(y * d->filter_columns + x) * d->channels + c];
      const int64_t group = (int64_t)unit * d->groups + y / isa->group;
      put(isa, packed + (group * d->filter_columns + x) * 64 + lane * 4, y, weight);
      *(weight < 0 ? &sums.negative : &sums.positive) += weight;
    }
  const uint32_t sum = (uint32_t)(sums.positive + sums.negative);
  const int32_t left_out = ar_left_out(isa->gemm, params->input_offset);
  block->bias[lane] = (int32_t)((uint32_t)b + (uint32_t)left_out * sum);
  const int32_t place = repeats_channels(isa, d) ? c : 0;
  ar_rescaling knowing = *rescaling;
  knowing.line = &known->line[place];
  knowing.bare = &known->bare[place];
  return plan_lane(block, lane, &knowing, c, params->output_offset, d->activation_min,
                   d->activation_max, ar_range_of(b, sums, params->input_offset));
}

/* The units of one store from `first` on. With plan_bare, all of them are BARE or the first lane that
 * cannot be ends it. */
static ar_requantize_mode plan_store(const ar_depthwise_isa *isa, ar_plan_lane plan_lane,
                                     const DepthwiseConv2DParams *params,
                                     const ar_rescaling *rescaling, const ar_tensor *io,
                                     const ar_depthwise *d, int32_t first, known_lines *known,
                                     ar_requantize_block *blocks, int8_t *packed) {
  const int bare = plan_lane == isa->gemm->plan_bare;
  const int32_t all = first * AR_BLOCK + isa->lanes;
  const int32_t end = repeats_channels(isa, d) || all < d->channels ? all : d->channels;
  for (int32_t n = first; n < first + isa->lanes / AR_BLOCK; ++n)
    blocks[n].mode = bare ? AR_REQUANT_BARE : AR_REQUANT_FLOAT;
  for (int32_t i = first * AR_BLOCK; i < end; ++i) {
    ar_requantize_block *block = &blocks[i / AR_BLOCK];
    const ar_requantize_mode mode =
        plan_interleaved_lane(isa, plan_lane, params, rescaling, io, d, i, known, block, packed);
    if (bare && mode != AR_REQUANT_BARE) return mode;
    if ((int32_t)mode > block->mode) block->mode = mode;
  }
  return bare ? AR_REQUANT_BARE : AR_REQUANT_FLOAT;
}

ar_status ar_depthwise_plan(const ar_depthwise_isa *isa, const void *params, const ar_tensor *io,
                            void *plan) {
  const ar_rescaling rescaling = rescaling_of(params);
  return ar_depthwise_plan_rescaled(isa, params, &rescaling, io, plan);
}

ar_status ar_depthwise_plan_rescaled(const ar_depthwise_isa *isa,
                                     const DepthwiseConv2DParams *params,
                                     const ar_rescaling *rescaling, const ar_tensor *io,
                                     void *memory) {
  depthwise_plan *plan = memory;
  if (io[1].dims[3] == 1) {
    const ar_gemm_conv conv = gemm_problem(params, rescaling, io);
    plan->is_gemm = 1;
    return ar_gemm_conv_plan(isa->gemm, &conv, (uint8_t *)memory + HEADER);
  }
  ar_status status = describe(isa, params, io, plan);
  if (status != AR_OK) return status;
  const ar_depthwise *d = &plan->depthwise;
  ar_requantize_block *blocks = (ar_requantize_block *)((uint8_t *)memory + plan->blocks);
  int8_t *packed = (int8_t *)memory + plan->packed;
  ar_clear_blocks(blocks, (ar_requantize_integers *)((uint8_t *)memory + plan->integers), d->units);
  memset(packed, 0, (size_t)packed_bytes(d));
  known_lines known = {{{0}}, {{0}}};
  const uint32_t before = plan->enter ? plan->enter() : 0;
  for (int32_t n = 0; n < d->units; n += isa->lanes / AR_BLOCK) {
    if (isa->gemm->plan_bare && plan_store(isa, isa->gemm->plan_bare, params, rescaling, io, d, n,
                                           &known, blocks, packed) == AR_REQUANT_BARE)
      continue;
    plan_store(isa, isa->gemm->plan_lane, params, rescaling, io, d, n, &known, blocks, packed);
  }
  if (plan->leave) plan->leave(before);
  if (plan->weights != plan->packed) isa->arrange(d, packed, (int8_t *)memory + plan->weights);
  return AR_OK;
}

/* Rows of output, an even number but for the last: kernels take them in pairs. */
static void run_rows(const depthwise_plan *plan, const uint8_t *memory, const int8_t *input,
                     int8_t *output, uint8_t *workspace, ar_range_of_units rows) {
  ar_depthwise d = plan->depthwise;
  const int32_t first = (int32_t)rows.first * d.stride_rows;
  d.output_rows = (int32_t)(rows.end - rows.first);
  if (!d.output_rows) return;
  const uint8_t *seen = (const uint8_t *)input;
  if (plan->stage) {
    const int32_t read =
        (d.output_rows - 1) * d.stride_rows + (d.filter_rows - 1) * d.dilation_rows;
    const ar_staged_part part = ar_staged_rows(&d.staging, first, first + read + 1);
    seen = workspace + plan->staged;
    plan->stage(&part.staging, input + (int64_t)part.first * d.staging.row_bytes,
                workspace + plan->staged);
  } else if (plan->is_in_place) {
    seen += (int64_t)first * d.row_bytes;
  } else {
    d.staging.top -= first;
  }
  plan->run(&d, seen, (const int8_t *)memory + plan->weights,
            (const ar_requantize_block *)(memory + plan->blocks),
            output + rows.first * d.output_columns * d.channels, workspace);
}

ar_status ar_depthwise_part(const void *, const void *memory, const ar_tensor *io,
                            uint8_t *workspace, ar_share share) {
  const depthwise_plan *plan = memory;
  const int8_t *input = io[1].data;
  int8_t *output = io[0].data;
  if (plan->is_gemm)
    return ar_gemm_conv_part((const uint8_t *)memory + HEADER, input, output, workspace, share);
  const ar_depthwise *d = &plan->depthwise;
  const int64_t image = (int64_t)d->staging.rows * d->staging.row_bytes;
  const int64_t output_image = (int64_t)d->output_rows * d->output_columns * d->channels;
  ar_range_of_units rows = ar_units_of(share, (d->output_rows + 1) / 2);
  rows.first *= 2;
  rows.end = rows.end * 2 < d->output_rows ? rows.end * 2 : d->output_rows;
  const uint32_t before = plan->enter ? plan->enter() : 0;
  for (int32_t batch = 0; batch < plan->batches; ++batch)
    run_rows(plan, memory, input + batch * image, output + batch * output_image, workspace, rows);
  if (plan->leave) plan->leave(before);
  return AR_OK;
}

ar_status ar_depthwise_run(const void *params, const void *memory, const ar_tensor *io,
                           uint8_t *workspace) {
  return ar_depthwise_part(params, memory, io, workspace, ar_whole);
}

_Static_assert(sizeof(depthwise_plan) <= HEADER, "the header holds the plan");
