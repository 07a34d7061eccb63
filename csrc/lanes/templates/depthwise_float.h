/* DEPTHWISE_CONV_2D on float32 with one output channel per input channel, a register of
 * AR_LANES channels at a time. Include an instruction set's lanes.h before. */
#include <string.h>

#include "engine.h"
#include "convolution/staging.h"
#include "records/depthwise_conv_2d.h"
#include "records/window.h"

typedef struct {
  ar_staging staging;
  int32_t batches, rows, columns, channels;
  int32_t units;             /* of AR_LANES: all channels, or one with repeated channels */
  int32_t flat;              /* whole columns lie side by side in a unit */
  int32_t taps_high, taps_wide;
  int32_t stride_rows, stride_columns;    /* in floats of the staged input */
  int32_t tap_rows, tap_columns;          /* likewise, from one tap to the next */
  float low, high;
} float_plan;

enum { HEADER = 192 };

static float *packed_of(void *plan) { return (float *)((uint8_t *)plan + HEADER); }

static ar_status describe(const DepthwiseConv2DParams *params, const ar_tensor *io,
                          float_plan *plan) {
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2], *bias = &io[3];
  if (x->type != AR_FLOAT32 || weights->type != AR_FLOAT32 || y->type != AR_FLOAT32)
    return AR_UNSUPPORTED;
  if (bias->type != AR_ABSENT && (bias->type != AR_FLOAT32 || !bias->data)) return AR_UNSUPPORTED;
  if (params->depth_multiplier != 1 || !weights->data) return AR_UNSUPPORTED;
  if (x->rank != 4 || weights->rank != 4 || weights->dims[0] != 1) return AR_UNSUPPORTED;
  const Window window = ar_plain_window(&params->window), *w = &window;
  const int32_t c = x->dims[3];
  if (!ar_slides(&params->window, y, x, weights->dims[1], weights->dims[2], c) ||
      weights->dims[3] != c || !ar_has_or_lacks(bias, c))
    return AR_UNSUPPORTED;
  memset(plan, 0, sizeof *plan);
  const ar_status staged = ar_stage_window(&plan->staging, w, x->dims[1], x->dims[2], c * 4, 0);
  if (staged != AR_OK) return staged;
  /* An infinity times the zeros of the border is no number. */
  if (!ar_needs_no_border(&plan->staging) && !ar_are_finite(weights->data, ar_elements(weights)))
    return AR_UNSUPPORTED;
  const int32_t row = plan->staging.staged_row_bytes / 4;
  plan->batches = x->dims[0];
  plan->rows = w->output_size[0];
  plan->columns = w->output_size[1];
  plan->channels = c;
  plan->flat = AR_LANES % c == 0 && w->stride[1] == 1;
  plan->units = plan->flat ? 1 : (c + AR_LANES - 1) / AR_LANES;
  plan->taps_high = w->filter_size[0];
  plan->taps_wide = w->filter_size[1];
  plan->stride_rows = w->stride[0] * row;
  plan->stride_columns = w->stride[1] * c;
  plan->tap_rows = w->dilation[0] * row;
  plan->tap_columns = w->dilation[1] * c;
  plan->low = (float)params->activation_min;
  plan->high = (float)params->activation_max;
  return AR_OK;
}

static ar_status float_measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  float_plan plan;
  ar_status status = describe(params, io, &plan);
  if (status != AR_OK) return status;
  sizes->plan =
      HEADER + (int64_t)4 * AR_LANES * plan.units * (1 + (int64_t)plan.taps_high * plan.taps_wide);
  sizes->workspace = ar_staged_bytes(&plan.staging);
  return AR_OK;
}

/* Per unit: biases, then the weights of each tap; lanes without a channel hold zeros. */
static ar_status float_make_plan(const void *params, const ar_tensor *io, void *memory) {
  float_plan *plan = memory;
  ar_status status = describe(params, io, plan);
  if (status != AR_OK) return status;
  const float *weights = io[2].data, *bias = io[3].type == AR_ABSENT ? 0 : io[3].data;
  const int32_t taps = plan->taps_high * plan->taps_wide;
  float *packed = packed_of(memory);
  for (int32_t u = 0; u < plan->units; ++u, packed += AR_LANES * (1 + taps))
    for (int32_t lane = 0; lane < AR_LANES; ++lane) {
      const int32_t i = u * AR_LANES + lane, c = plan->flat ? i % plan->channels : i;
      const int exists = c < plan->channels;
      packed[lane] = exists && bias ? bias[c] : 0.0f;
      for (int32_t t = 0; t < taps; ++t)
        packed[(1 + t) * AR_LANES + lane] =
            exists ? weights[(int64_t)t * plan->channels + c] : 0.0f;
    }
  return AR_OK;
}

AR_INLINE ar_vector one_unit(const float_plan *plan, const float *x, const float *packed) {
  ar_vector acc = ar_load_vector(packed);
  packed += AR_LANES;
  for (int32_t i = 0; i < plan->taps_high; ++i, x += plan->tap_rows)
    for (int32_t j = 0; j < plan->taps_wide; ++j, packed += AR_LANES)
      acc = ar_fma_vector(ar_load_vector(x + j * plan->tap_columns), ar_load_vector(packed),
                            acc);
  return acc;
}

/* 3x3 with weights in registers: `count` vectors, `advance` floats apart in the input. */
static void three_by_three(const float_plan *plan, const float *x, int64_t count, int64_t advance,
                           const float *packed, int32_t lanes, float *y, int64_t y_advance) {
  const int64_t row = plan->tap_rows, column = plan->tap_columns;
  const ar_vector bias = ar_load_vector(packed);
  const ar_vector low = ar_set_vector(plan->low), high = ar_set_vector(plan->high);
  ar_vector w[9];
#pragma clang loop unroll(full)
  for (int t = 0; t < 9; ++t) w[t] = ar_load_vector(packed + AR_LANES * (1 + t));
  for (int64_t i = 0; i < count; ++i, x += advance, y += y_advance) {
    ar_vector acc[3];
#pragma clang loop unroll(full)
    for (int r = 0; r < 3; ++r) {
      const float *taps = x + r * row;
      acc[r] = ar_fma_vector(ar_load_vector(taps), w[3 * r], r ? ar_set_vector(0.0f) : bias);
      acc[r] = ar_fma_vector(ar_load_vector(taps + column), w[3 * r + 1], acc[r]);
      acc[r] = ar_fma_vector(ar_load_vector(taps + 2 * column), w[3 * r + 2], acc[r]);
    }
    const ar_vector sum = ar_add_vector(acc[0], ar_add_vector(acc[1], acc[2]));
    ar_store_vector(y, sum, low, high, lanes);
  }
}

static void vectors(const float_plan *plan, const float *x, int64_t count, int64_t advance,
                    const float *packed, int32_t lanes, float *y, int64_t y_advance) {
  if (plan->taps_high == 3 && plan->taps_wide == 3) {
    three_by_three(plan, x, count, advance, packed, lanes, y, y_advance);
    return;
  }
  const ar_vector low = ar_set_vector(plan->low), high = ar_set_vector(plan->high);
  for (int64_t i = 0; i < count; ++i, x += advance, y += y_advance)
    ar_store_vector(y, one_unit(plan, x, packed), low, high, lanes);
}

static void output_row(const float_plan *plan, const float *x, const float *packed, float *y) {
  const int32_t c = plan->channels;
  if (plan->flat) {
    const int64_t elements = (int64_t)plan->columns * c, whole = elements / AR_LANES;
    vectors(plan, x, whole, AR_LANES, packed, AR_LANES, y, AR_LANES);
    const int32_t rest = (int32_t)(elements % AR_LANES);
    if (rest)
      vectors(plan, x + whole * AR_LANES, 1, 0, packed, rest,
              y + whole * AR_LANES, 0);
    return;
  }
  const int64_t unit = AR_LANES * (1 + plan->taps_high * plan->taps_wide);
  for (int32_t first = 0; first < c; first += AR_LANES, packed += unit) {
    const int32_t left = c - first;
    const int32_t lanes = left < AR_LANES ? left : AR_LANES;
    vectors(plan, x + first, plan->columns, plan->stride_columns, packed, lanes, y + first, c);
  }
}

static ar_status float_run(const void *params, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  (void)params;
  const float_plan *plan = memory;
  const int64_t image = (int64_t)plan->staging.rows * plan->staging.row_bytes;
  const int64_t row = (int64_t)plan->columns * plan->channels;
  float *y = io[0].data;
  for (int32_t batch = 0; batch < plan->batches; ++batch) {
    ar_stage_zero(&plan->staging, (const uint8_t *)io[1].data + batch * image, workspace);
    const float *x = (const float *)workspace;
    for (int32_t i = 0; i < plan->rows; ++i, x += plan->stride_rows, y += row)
      output_row(plan, x, (const float *)((const uint8_t *)memory + HEADER), y);
  }
  return AR_OK;
}

_Static_assert(sizeof(float_plan) <= HEADER, "the header holds the plan");
