/* MNN_CONV_INT8 with groups, depthwise and dilation: int8 to int8 or float32.
 *
 * One position's window is gathered to a row of int16, less what stands for zero, and
 * multiplied with each filter.
 */
#include <string.h>

#include "mnn.h"
#include "name.h"
#include "records/mnn_conv_int8.h"
#include "records/window.h"

static int64_t filters_of(const MnnConvInt8Params *p, const ar_tensor *io) {
  return p->is_depthwise ? io[2].dims[3] : io[2].dims[0];
}

/* Whether window, filters and their numbers go with the tensors. */
static int fits(const MnnConvInt8Params *p, const ar_tensor *io) {
  const ar_tensor *x = &io[1], *weights = &io[2];
  const int32_t *dims = weights->dims;
  const int64_t filters = filters_of(p, io);
  if (!ar_slides(&p->window, &io[0], x, dims[1], dims[2], filters)) return 0;
  if (p->start.count < filters || p->factor.count < filters || p->offset.count < filters) return 0;
  if (p->is_depthwise) return p->groups == 1 && dims[0] == 1 && dims[3] == x->dims[3];
  return p->groups > 0 && filters % p->groups == 0 && filters >= p->groups &&
         x->dims[3] == (int64_t)dims[3] * p->groups;
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const MnnConvInt8Params *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2];
  if (x->type != AR_INT8 || weights->type != AR_INT8 || !weights->data) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(y->type, AR_INT8, AR_FLOAT32) || x->rank != 4 || weights->rank != 4)
    return AR_UNSUPPORTED;
  if (!p->fits_int32 || p->activation_min > p->activation_max) return AR_UNSUPPORTED;
  if (y->type == AR_INT8 && (p->activation_min < -128 || p->activation_max > 127))
    return AR_UNSUPPORTED;
  if (!ar_is_small(p->input_offset) || !fits(p, io)) return AR_UNSUPPORTED;
  const int64_t taps = (int64_t)p->window.filter_size[0] * p->window.filter_size[1];
  sizes->plan = ar_elements(weights) * (int64_t)sizeof(int16_t);
  sizes->workspace =
      filters_of(p, io) * (int64_t)sizeof(int32_t) + taps * x->dims[3] * (int64_t)sizeof(int16_t);
  return AR_OK;
}

/* Products of pairs of int16 are instructions on most machines. */
static ar_status make_plan(const void *, const ar_tensor *io, void *plan) {
  const int8_t *restrict weights = io[2].data;
  int16_t *restrict wide = plan;
  const int64_t count = ar_elements(&io[2]);
  for (int64_t i = 0; i < count; ++i) wide[i] = weights[i];
  return AR_OK;
}

/* The window whose first tap is (top, left), group by group, in the order of the filters. */
static void gather(const MnnConvInt8Params *p, const ar_tensor *x, int32_t image, int64_t top,
                   int64_t left, int16_t *restrict row) {
  const Window *w = &p->window;
  const int64_t height = x->dims[1], width = x->dims[2], channels = x->dims[3];
  const int64_t depth = channels / p->groups;
  const int32_t offset = p->input_offset;
  for (int32_t g = 0; g < p->groups; ++g)
    for (int32_t i = 0; i < w->filter_size[0]; ++i)
      for (int32_t j = 0; j < w->filter_size[1]; ++j, row += depth) {
        const int64_t y = top + (int64_t)i * w->dilation[0];
        const int64_t z = left + (int64_t)j * w->dilation[1];
        if (y < 0 || y >= height || z < 0 || z >= width) {
          for (int64_t c = 0; c < depth; ++c) row[c] = 0;
          continue;
        }
        const int8_t *from =
            (const int8_t *)x->data + ((image * height + y) * width + z) * channels + g * depth;
        for (int64_t c = 0; c < depth; ++c) row[c] = (int16_t)(from[c] + offset);
      }
}

/* All sums fit in int32, whatever the image. */
static int32_t dot(const int16_t *restrict x, const int16_t *restrict w, int64_t count) {
  int32_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i] * w[i];
  return sum;
}

static void add_products(const int16_t *restrict x, const int16_t *restrict w, int64_t count,
                         int32_t *restrict sums) {
  for (int64_t i = 0; i < count; ++i) sums[i] += x[i] * w[i];
}

/* The sums of one position, from its row. */
static void sum_up(const MnnConvInt8Params *p, const int16_t *row, const int16_t *weights,
                   int64_t length, int64_t filters, int32_t *sums) {
  if (p->is_depthwise) {
    memcpy(sums, p->start.data, (size_t)filters * sizeof *sums);
    for (int64_t tap = 0; tap < length; ++tap)
      add_products(row + tap * filters, weights + tap * filters, filters, sums);
    return;
  }
  const int64_t group = filters / p->groups;
  for (int64_t f = 0; f < filters; ++f)
    sums[f] = dot(row + f / group * length, weights + f * length, length) + p->start.data[f];
}

static void finish(const MnnConvInt8Params *p, const int32_t *restrict sums, int64_t filters,
                   int32_t type, void *y) {
  const float low = (float)p->activation_min, high = (float)p->activation_max;
  const float *restrict factor = p->factor.data, *restrict offset = p->offset.data;
  int8_t *restrict bytes = y;
  float *restrict floats = y;
  if (type == AR_INT8)
    for (int64_t f = 0; f < filters; ++f)
      bytes[f] =
          (int8_t)ar_mnn_rounded(ar_mnn_clamped((float)sums[f] * factor[f] + offset[f], low, high));
  else
    for (int64_t f = 0; f < filters; ++f)
      floats[f] = ar_mnn_clamped((float)sums[f] * factor[f] + offset[f], low, high);
}

static ar_status run(const void *opaque, const void *plan, const ar_tensor *io,
                     uint8_t *workspace) {
  const MnnConvInt8Params *p = opaque;
  const Window *w = &p->window;
  const ar_tensor *x = &io[1];
  const int64_t taps = (int64_t)w->filter_size[0] * w->filter_size[1];
  const int64_t filters = filters_of(p, io);
  const int64_t length = p->is_depthwise ? taps : taps * (x->dims[3] / p->groups);
  int32_t *sums = (int32_t *)workspace;
  int16_t *row = (int16_t *)(sums + filters);
  uint8_t *y = io[0].data;
  for (int32_t n = 0; n < x->dims[0]; ++n)
    for (int32_t i = 0; i < w->output_size[0]; ++i)
      for (int32_t j = 0; j < w->output_size[1]; ++j) {
        gather(p, x, n, (int64_t)i * w->stride[0] - w->padding[0],
               (int64_t)j * w->stride[1] - w->padding[1], row);
        sum_up(p, row, plan, length, filters, sums);
        finish(p, sums, filters, io[0].type, y);
        y += filters * ar_element_bytes(io[0].type);
      }
  return AR_OK;
}

AR_PORTABLE_KERNEL(MNN_CONV_INT8, measure, make_plan, run)
