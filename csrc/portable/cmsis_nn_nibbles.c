/* DEPTHWISE_CONV_2D of int8 with int4 weights, with the weights that CMSIS-NN takes for each tap
 * where the input has an odd number of channels: a table for every kind of window.
 */
#include <string.h>

#include "product.h"
#include "records/arithmetic_nibbles.h"
#include "records/window.h"

typedef struct {
  int64_t channels, taps, table; /* bytes of a kind's weights */
  int64_t bias, sums;            /* byte offsets in the workspace, which begins with a pixel */
} nibble_plan;

static ar_status describe(const NibbleParams *p, const ar_tensor *io, nibble_plan *plan) {
  const DepthwiseConv2DParams *conv = &p->conv;
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2];
  if (!ar_types_fit(io) || x->type != AR_INT8 || weights->type != AR_INT4 || !weights->data)
    return AR_UNSUPPORTED;
  if (x->rank != 4 || weights->rank != 4 || weights->dims[0] != 1 ||
      !ar_is_small(conv->input_offset) ||
      weights->dims[3] != (int64_t)x->dims[3] * conv->depth_multiplier)
    return AR_UNSUPPORTED;
  if (!ar_slides(&conv->window, y, x, weights->dims[1], weights->dims[2], weights->dims[3]) ||
      !ar_has_or_lacks(&io[3], weights->dims[3]))
    return AR_UNSUPPORTED;
  *plan = (nibble_plan){
      .channels = weights->dims[3],
      .taps = (int64_t)weights->dims[1] * weights->dims[2],
      .table = ar_elements(weights),
  };
  plan->bias = ar_align64(plan->channels * 4);
  plan->sums = 2 * plan->bias;
  if (plan->table < 1 || p->places.count % plan->table) return AR_UNSUPPORTED;
  if (!ar_are_places(p->kinds, (int64_t)y->dims[1] * y->dims[2], p->places.count / plan->table))
    return AR_UNSUPPORTED;
  for (int64_t i = 0; i < p->places.count; ++i)
    if (p->places.data[i] < -1 || p->places.data[i] >= plan->table) return AR_UNSUPPORTED;
  const ar_finish finish = AR_FINISH_OF(conv, io);
  return finish.wide ? AR_UNSUPPORTED : AR_NAME(check_finish)(&finish, plan->channels);
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const NibbleParams *p = params;
  nibble_plan plan;
  const ar_status status = describe(p, io, &plan);
  if (status != AR_OK) return status;
  sizes->plan = ar_align64(sizeof plan) + p->places.count;
  sizes->workspace = plan.sums + plan.bias;
  return AR_OK;
}

static ar_status make_plan(const void *params, const ar_tensor *io, void *memory) {
  const NibbleParams *p = params;
  const ar_status status = describe(p, io, memory);
  if (status != AR_OK) return status;
  int8_t *weights = (int8_t *)memory + ar_align64(sizeof(nibble_plan));
  for (int64_t i = 0; i < p->places.count; ++i) {
    const int32_t place = p->places.data[i];
    weights[i] = place < 0 ? 0 : ar_int4_at(io[2].data, place);
  }
  return AR_OK;
}

/* Adds what a pixel gives to all channels, `times` of which share an input channel. */
static void add_pixel(const int8_t *restrict x, const int8_t *restrict w, int32_t offset,
                      int64_t depth, int32_t times, uint32_t *restrict sums) {
  if (times == 1) {
    for (int64_t c = 0; c < depth; ++c) sums[c] += (uint32_t)((x[c] + offset) * w[c]);
    return;
  }
  for (int64_t c = 0; c < depth; ++c) {
    const int32_t value = x[c] + offset;
    for (int32_t m = 0; m < times; ++m) sums[c * times + m] += (uint32_t)(value * w[c * times + m]);
  }
}

static void add_window(const DepthwiseConv2DParams *p, const ar_tensor *x, const int8_t *image,
                       int32_t row, int32_t column, const int8_t *w, uint32_t *sums) {
  const Window *window = &p->window;
  const int64_t top = (int64_t)row * window->stride[0] - window->padding[0];
  const int64_t left = (int64_t)column * window->stride[1] - window->padding[1];
  const int64_t depth = x->dims[3], channels = depth * p->depth_multiplier;
  for (int32_t i = 0; i < window->filter_size[0]; ++i) {
    const int64_t y = top + (int64_t)i * window->dilation[0];
    for (int32_t j = 0; j < window->filter_size[1]; ++j, w += channels) {
      const int64_t at = left + (int64_t)j * window->dilation[1];
      if (y < 0 || y >= x->dims[1] || at < 0 || at >= x->dims[2]) continue;
      add_pixel(image + (y * x->dims[2] + at) * depth, w, p->input_offset, depth,
                p->depth_multiplier, sums);
    }
  }
}

static ar_status run(const void *params, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const NibbleParams *p = params;
  const nibble_plan *plan = memory;
  const ar_tensor *y = &io[0], *x = &io[1];
  const int8_t *weights = (const int8_t *)memory + ar_align64(sizeof *plan);
  const ar_finish finish = AR_FINISH_OF(&p->conv, io);
  uint32_t *sums = (uint32_t *)(workspace + plan->sums);
  AR_NAME(load_bias)(&finish, &io[3], plan->channels, workspace + plan->bias);
  int8_t *out = y->data;
  for (int64_t n = 0; n < x->dims[0]; ++n) {
    const int8_t *image = (const int8_t *)x->data + n * x->dims[1] * x->dims[2] * x->dims[3];
    const int32_t *kind = p->kinds.data;
    for (int32_t row = 0; row < y->dims[1]; ++row)
      for (int32_t column = 0; column < y->dims[2]; ++column, out += plan->channels) {
        memset(sums, 0, (size_t)plan->channels * 4);
        add_window(&p->conv, x, image, row, column, weights + *kind++ * plan->table, sums);
        AR_NAME(finish)(&finish, sums, workspace + plan->bias, 0, plan->channels, out);
      }
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(CMSIS_NN_NIBBLES, measure, make_plan, run)
