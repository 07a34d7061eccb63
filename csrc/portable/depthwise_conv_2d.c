/* DEPTHWISE_CONV_2D: int8, int16 with int8 weights, float32; int4 weights.
 *
 * With a depth multiplier the input is copied first, so that each output channel has an input
 * channel of its own.
 */
#include <string.h>

#include "product.h"
#include "records/depthwise_conv_2d.h"
#include "records/window.h"

enum { BLOCK = 32, MAX_TAPS = 1 << 9 }; /* so many products of 16 and 8 bits are an int32 */

typedef struct {
  int64_t channels;
  int64_t bias, weights, images, sums; /* byte offsets in the workspace */
} depthwise_plan;

/* The taps of one position that lie in the image. */
typedef struct {
  const uint8_t *x, *weights;
  int64_t x_row, x_tap, weights_row, weights_tap; /* elements */
  int32_t rows, columns;
  int32_t offset;
} taps;

static ar_status describe(const DepthwiseConv2DParams *p, const ar_tensor *io,
                          depthwise_plan *plan) {
  const ar_tensor *x = &io[1], *weights = &io[2];
  if (!ar_types_fit(io) || x->rank != 4 || weights->rank != 4) return AR_UNSUPPORTED;
  if (x->type == AR_INT16 && io[3].type == AR_INT32) return AR_UNSUPPORTED;
  if (weights->dims[0] != 1 || !ar_is_small(p->input_offset) ||
      weights->dims[3] != (int64_t)x->dims[3] * p->depth_multiplier)
    return AR_UNSUPPORTED;
  if (!ar_slides(&p->window, &io[0], x, weights->dims[1], weights->dims[2], weights->dims[3]) ||
      !ar_has_or_lacks(&io[3], weights->dims[3]))
    return AR_UNSUPPORTED;
  if ((int64_t)weights->dims[1] * weights->dims[2] > MAX_TAPS) return AR_UNSUPPORTED;
  const ar_finish finish = AR_FINISH_OF(p, io);
  const int64_t channels = weights->dims[3], pixels = (int64_t)x->dims[1] * x->dims[2];
  *plan = (depthwise_plan){.channels = channels};
  plan->weights = ar_align64(channels * ar_sum_bytes(&finish));
  plan->images = plan->weights;
  if (weights->type == AR_INT4) plan->images += ar_align64(ar_elements(weights));
  plan->sums = plan->images;
  if (p->depth_multiplier > 1)
    plan->sums += ar_align64(pixels * channels * ar_element_bytes(x->type));
  return AR_NAME(check_finish)(&finish, channels);
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  depthwise_plan plan;
  const ar_status status = describe(params, io, &plan);
  if (status != AR_OK) return status;
  sizes->plan = sizeof plan;
  /* One row of sums, and of those in 64 bits. */
  sizes->workspace = plan.sums + ar_align64(plan.channels * 4) + plan.channels * 8;
  return AR_OK;
}

static ar_status make_plan(const void *params, const ar_tensor *io, void *memory) {
  return describe(params, io, memory);
}

/* -- one position */

#define AR_DEPTHWISE(name, T, W, SUM, PRODUCT)                                       \
  static inline __attribute__((always_inline)) void name##_some(                     \
      const taps t, int64_t first, int32_t count, SUM *restrict sums) {              \
    SUM acc[BLOCK];                                                                  \
    for (int32_t c = 0; c < BLOCK; ++c) acc[c] = 0;                                  \
    for (int32_t i = 0; i < t.rows; ++i) {                                           \
      const T *x = (const T *)t.x + i * t.x_row + first;                             \
      const W *w = (const W *)t.weights + i * t.weights_row + first;                 \
      for (int32_t j = 0; j < t.columns; ++j, x += t.x_tap, w += t.weights_tap)      \
        for (int32_t c = 0; c < count; ++c) acc[c] += PRODUCT(x[c], w[c], t.offset); \
    }                                                                                \
    for (int32_t c = 0; c < count; ++c) sums[first + c] = acc[c];                    \
  }                                                                                  \
  static void name(const taps t, int64_t channels, SUM *restrict sums) {             \
    int64_t c = 0;                                                                   \
    for (; c + BLOCK <= channels; c += BLOCK) name##_some(t, c, BLOCK, sums);        \
    if (c < channels) name##_some(t, c, (int32_t)(channels - c), sums);              \
  }

#define MOVED(x, w, offset) (uint32_t)(((x) + (offset)) * (w))
#define SAME(x, w, offset) ((x) * (w))
AR_DEPTHWISE(sum_int8, int8_t, int8_t, uint32_t, MOVED)
AR_DEPTHWISE(sum_int16, int16_t, int8_t, uint32_t, SAME)
AR_DEPTHWISE(sum_float, float, float, float, SAME)

/* Taps [*from, *from + result) that meet an axis of n elements, the first of them at *start. */
static int32_t overlap(const Window *w, int32_t axis, int32_t position, int32_t n, int32_t *from,
                       int64_t *start) {
  const int64_t first = (int64_t)position * w->stride[axis] - w->padding[axis];
  const int64_t dilation = w->dilation[axis];
  int64_t low = first < 0 ? (-first + dilation - 1) / dilation : 0;
  int64_t high = first < n ? (n - first + dilation - 1) / dilation : 0;
  if (high > w->filter_size[axis]) high = w->filter_size[axis];
  if (low > high) low = high;
  *from = (int32_t)low;
  *start = first + low * dilation;
  return (int32_t)(high - low);
}

/* Repeats each channel of an image. */
static void repeat_channels(const void *x, int64_t count, int32_t times, int32_t bytes, void *y) {
  if (bytes == 1) {
    for (int64_t i = 0; i < count; ++i)
      memset((uint8_t *)y + i * times, ((const uint8_t *)x)[i], (size_t)times);
  } else if (bytes == 2) {
    for (int64_t i = 0; i < count; ++i)
      for (int32_t j = 0; j < times; ++j) ((uint16_t *)y)[i * times + j] = ((const uint16_t *)x)[i];
  } else {
    for (int64_t i = 0; i < count; ++i)
      for (int32_t j = 0; j < times; ++j) ((uint32_t *)y)[i * times + j] = ((const uint32_t *)x)[i];
  }
}

static void unpack_int4(const uint8_t *packed, int64_t count, int8_t *weights) {
  for (int64_t i = 0; i < count; ++i) weights[i] = ar_int4_at(packed, i);
}

static void position(const depthwise_plan *plan, const ar_finish *finish, const taps *t,
                     const void *bias, uint8_t *sums, void *y) {
  const int64_t channels = plan->channels;
  if (finish->type == AR_FLOAT32) sum_float(*t, channels, (float *)sums);
  else if (finish->type == AR_INT8) sum_int8(*t, channels, (uint32_t *)sums);
  else sum_int16(*t, channels, (uint32_t *)sums);
  const void *row = sums;
  if (finish->wide) {
    int64_t *restrict wide = (int64_t *)(sums + ar_align64(channels * 4));
    const int32_t *restrict narrow = (const int32_t *)sums;
    for (int64_t c = 0; c < channels; ++c) wide[c] = narrow[c];
    row = wide;
  }
  AR_NAME(finish)(finish, row, bias, 0, channels, y);
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const DepthwiseConv2DParams *p = opaque;
  const depthwise_plan *plan = memory;
  const Window *w = &p->window;
  const ar_tensor *x = &io[1];
  const int32_t height = x->dims[1], width = x->dims[2], bytes = ar_element_bytes(x->type);
  const int64_t channels = plan->channels, pixels = (int64_t)height * width;
  const int32_t weight_bytes = x->type == AR_FLOAT32 ? 4 : 1;
  const ar_finish finish = AR_FINISH_OF(p, io);
  const uint8_t *weights = io[2].data;
  uint8_t *y = io[0].data;
  AR_NAME(load_bias)(&finish, &io[3], channels, workspace);
  if (io[2].type == AR_INT4) {
    unpack_int4(io[2].data, ar_elements(&io[2]), (int8_t *)workspace + plan->weights);
    weights = workspace + plan->weights;
  }
  for (int32_t n = 0; n < x->dims[0]; ++n) {
    const uint8_t *image = (const uint8_t *)x->data + n * pixels * x->dims[3] * bytes;
    if (p->depth_multiplier > 1) {
      repeat_channels(image, pixels * x->dims[3], p->depth_multiplier, bytes,
                      workspace + plan->images);
      image = workspace + plan->images;
    }
    for (int32_t i = 0; i < w->output_size[0]; ++i)
      for (int32_t j = 0; j < w->output_size[1]; ++j, y += channels * bytes) {
        taps t = {
            .x_row = (int64_t)w->dilation[0] * width * channels,
            .x_tap = w->dilation[1] * channels,
            .weights_row = w->filter_size[1] * channels,
            .weights_tap = channels,
            .offset = p->input_offset,
        };
        int32_t row, column;
        int64_t top, left;
        t.rows = overlap(w, 0, i, height, &row, &top);
        t.columns = overlap(w, 1, j, width, &column, &left);
        if (t.rows > 0 && t.columns > 0) {
          t.x = image + (top * width + left) * channels * bytes;
          t.weights = weights + (row * t.weights_row + column * channels) * weight_bytes;
        } else {
          t.rows = 0; /* the window lies beside the image */
        }
        position(plan, &finish, &t, workspace, workspace + plan->sums, y);
      }
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(DEPTHWISE_CONV_2D, measure, make_plan, run)
