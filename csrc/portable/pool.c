/* AVERAGE_POOL_2D and MAX_POOL_2D of NHWC images: int8, int16, float32. L2_POOL_2D: float32.
 * MNN_AVERAGE_POOL: int8. */
#include "arithmetic/fixedpoint.h"
#include "name.h"
#include "records/pooling.h"
#include "records/window.h"

enum { BLOCK = 64 }; /* channels that are reduced at a time, in registers */

/* The part of a window that lies in the image. */
typedef struct {
  const uint8_t *start;
  int64_t row_bytes;
  int32_t rows, columns;
} view;

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const Pool2DParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_INT16, AR_FLOAT32) || y->type != x->type)
    return AR_UNSUPPORTED;
  const Window *w = &p->window;
  if (x->rank != 4 || !ar_slides(w, y, x, w->filter_size[0], w->filter_size[1], x->dims[3]))
    return AR_UNSUPPORTED;
  const int32_t rows = w->filter_size[0] < x->dims[1] ? w->filter_size[0] : x->dims[1];
  const int32_t columns = w->filter_size[1] < x->dims[2] ? w->filter_size[1] : x->dims[2];
  /* So many elements' sum is an int32, and a half more can still be divided quickly. */
  return (int64_t)rows * columns < 1 << 14 ? AR_OK : AR_UNSUPPORTED;
}

static ar_status measure_floats(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  return io[0].type == AR_FLOAT32 ? measure(params, io, sizes) : AR_UNSUPPORTED;
}

/* Elements [*from, *from + result) of an axis of n that the window's position meets. */
static int32_t overlap(const Window *w, int32_t axis, int32_t position, int32_t n, int64_t *from) {
  int64_t low = (int64_t)position * w->stride[axis] - w->padding[axis];
  int64_t high = low + w->filter_size[axis];
  if (low < 0) low = 0;
  if (high > n) high = n;
  *from = low;
  return high > low ? (int32_t)(high - low) : 0;
}

/* -- reductions of BLOCK or fewer channels over a view */

#define AR_REDUCE(name, T, ACC, FIRST, COMBINE)                                        \
  static inline __attribute__((always_inline)) void name##_some(                       \
      const view v, int32_t channels, int32_t count, ACC *restrict out) {              \
    const T *row = (const T *)v.start;                                                 \
    ACC acc[BLOCK];                                                                    \
    for (int32_t c = 0; c < BLOCK; ++c) acc[c] = FIRST;                                \
    for (int32_t i = 0; i < v.rows; ++i, row += v.row_bytes / (int64_t)sizeof(T)) {    \
      const T *x = row;                                                                \
      for (int32_t j = 0; j < v.columns; ++j, x += channels)                           \
        for (int32_t c = 0; c < count; ++c) acc[c] = COMBINE(acc[c], x[c]);            \
    }                                                                                  \
    for (int32_t c = 0; c < count; ++c) out[c] = acc[c];                               \
  }                                                                                    \
  static void name(const view v, int32_t channels, int32_t count, ACC *restrict out) { \
    if (count == BLOCK) name##_some(v, channels, BLOCK, out);                          \
    else if (count == 16) name##_some(v, channels, 16, out);                           \
    else name##_some(v, channels, count, out);                                         \
  }

#define SUM(a, x) ((a) + (x))
#define SQUARE(a, x) ((a) + (x) * (x))
#define LARGER(a, x) ((x) > (a) ? (x) : (a))

AR_REDUCE(sum_int8, int8_t, int32_t, 0, SUM)
AR_REDUCE(sum_few_int8, int8_t, int16_t, 0, SUM) /* of up to 256 elements */
AR_REDUCE(sum_int16, int16_t, int32_t, 0, SUM)
AR_REDUCE(sum_float, float, float, 0.0f, SUM)
AR_REDUCE(squares_float, float, float, 0.0f, SQUARE)
AR_REDUCE(max_int8, int8_t, int8_t, INT8_MIN, LARGER)
AR_REDUCE(max_int16, int16_t, int16_t, INT16_MIN, LARGER)
AR_REDUCE(max_float, float, float, -3.40282347e+38f, LARGER)

/* -- what follows */

/* Division by a count under 2^14 of numbers under 2^30: exact, as a product and a shift. */
typedef struct {
  uint64_t factor;
  int32_t shift;
  int32_t half;
} divisor;

static divisor divisor_of(int32_t count) {
  const int32_t shift = 31 + (31 - ar_leading_zeros((uint32_t)count));
  const uint64_t factor = ((UINT64_C(1) << shift) + (uint64_t)count - 1) / (uint64_t)count;
  return (divisor){factor, shift, count / 2};
}

/* The mean, rounded to nearest, halves away from zero. */
static inline int32_t mean_of(int32_t sum, divisor d) {
  const uint32_t magnitude = (uint32_t)(sum < 0 ? -sum : sum) + (uint32_t)d.half;
  const int32_t mean = (int32_t)(magnitude * (uint64_t)(uint32_t)d.factor >> d.shift);
  return sum < 0 ? -mean : mean;
}

/* Sums of few elements fit int16, of which a register holds twice as many. */
static void sum_all_int8(const view v, int32_t channels, int32_t count, int32_t *restrict sums) {
  if (v.rows * v.columns > 256) {
    sum_int8(v, channels, count, sums);
    return;
  }
  int16_t few[BLOCK];
  sum_few_int8(v, channels, count, few);
  for (int32_t c = 0; c < count; ++c) sums[c] = few[c];
}

#define AR_AVERAGE(T, SUM_ALL)                                                                  \
  static void average_##T(const Pool2DParams *p, view v, int32_t channels, int32_t count,       \
                          T##_t *restrict y) {                                                  \
    const int32_t low = (int32_t)p->activation_min, high = (int32_t)p->activation_max;          \
    const divisor d = divisor_of(v.rows * v.columns);                                           \
    int32_t sums[BLOCK];                                                                        \
    SUM_ALL(v, channels, count, sums);                                                          \
    for (int32_t c = 0; c < count; ++c) y[c] = (T##_t)ar_clamp(mean_of(sums[c], d), low, high); \
  }

AR_AVERAGE(int8, sum_all_int8)
AR_AVERAGE(int16, sum_int16)

static void average_float(const Pool2DParams *p, view v, int32_t channels, int32_t count,
                          float *restrict y) {
  const float low = (float)p->activation_min, high = (float)p->activation_max;
  const float elements = (float)(v.rows * v.columns);
  float sums[BLOCK];
  sum_float(v, channels, count, sums);
  for (int32_t c = 0; c < count; ++c) y[c] = ar_clamp_float(sums[c] / elements, low, high);
}

static void root_of_average(const Pool2DParams *p, view v, int32_t channels, int32_t count,
                            float *restrict y) {
  const float low = (float)p->activation_min, high = (float)p->activation_max;
  const float elements = (float)(v.rows * v.columns);
  float sums[BLOCK];
  squares_float(v, channels, count, sums);
  for (int32_t c = 0; c < count; ++c) y[c] = ar_clamp_float(sqrtf(sums[c] / elements), low, high);
}

/* As MNN cuts it off: all numbers are those of q + 128. */
static void average_mnn(view v, int32_t channels, int32_t count, int8_t *restrict y) {
  const uint32_t elements = (uint32_t)(v.rows * v.columns), factor = (1u << 24) / elements;
  int32_t sums[BLOCK];
  sum_int8(v, channels, count, sums);
  for (int32_t c = 0; c < count; ++c) {
    const uint32_t sum = (uint32_t)sums[c] + 128 * elements; /* 255 * elements at most */
    y[c] = (int8_t)((int32_t)(sum * factor >> 24) - 128);
  }
}

#define AR_MAXIMUM(name, T, ACTIVATION)                                                      \
  static void maximum_##name(const Pool2DParams *p, view v, int32_t channels, int32_t count, \
                             T *restrict y) {                                                \
    const ACTIVATION low = (ACTIVATION)p->activation_min;                                    \
    const ACTIVATION high = (ACTIVATION)p->activation_max;                                   \
    T largest[BLOCK];                                                                        \
    max_##name(v, channels, count, largest);                                                 \
    for (int32_t c = 0; c < count; ++c) {                                                    \
      const ACTIVATION x = largest[c] < low ? low : largest[c];                              \
      y[c] = (T)(high < x ? high : x);                                                       \
    }                                                                                        \
  }

AR_MAXIMUM(int8, int8_t, int32_t)
AR_MAXIMUM(int16, int16_t, int32_t)
AR_MAXIMUM(float, float, float)

typedef enum { MAXIMUM, AVERAGE, ROOT_OF_AVERAGE, MNN_AVERAGE } reduction;

static void pool_block(const Pool2DParams *p, reduction kind, int32_t type, view v,
                       int32_t channels, int32_t count, void *y) {
  if (kind == MNN_AVERAGE) {
    average_mnn(v, channels, count, y);
    return;
  }
  if (kind == ROOT_OF_AVERAGE) {
    root_of_average(p, v, channels, count, y);
    return;
  }
  if (kind == AVERAGE) {
    if (type == AR_INT8) average_int8(p, v, channels, count, y);
    else if (type == AR_INT16) average_int16(p, v, channels, count, y);
    else average_float(p, v, channels, count, y);
    return;
  }
  if (type == AR_INT8) maximum_int8(p, v, channels, count, y);
  else if (type == AR_INT16) maximum_int16(p, v, channels, count, y);
  else maximum_float(p, v, channels, count, y);
}

static ar_status pool(const Pool2DParams *p, const ar_tensor *io, reduction kind) {
  const ar_tensor *x = &io[1];
  const Window *w = &p->window;
  const int32_t height = x->dims[1], width = x->dims[2], channels = x->dims[3];
  const int64_t bytes = ar_element_bytes(x->type), row_bytes = bytes * width * channels;
  uint8_t *y = io[0].data;
  for (int32_t n = 0; n < x->dims[0]; ++n) {
    const uint8_t *image = (const uint8_t *)x->data + n * height * row_bytes;
    for (int32_t i = 0; i < w->output_size[0]; ++i)
      for (int32_t j = 0; j < w->output_size[1]; ++j) {
        int64_t top, left;
        view v = {.row_bytes = row_bytes};
        v.rows = overlap(w, 0, i, height, &top);
        v.columns = overlap(w, 1, j, width, &left);
        if (v.rows == 0 || v.columns == 0) return AR_BAD_ARGUMENT;
        v.start = image + top * row_bytes + left * channels * bytes;
        for (int32_t c = 0; c < channels; c += BLOCK) {
          const int32_t count = channels - c < BLOCK ? channels - c : BLOCK;
          pool_block(p, kind, x->type, v, channels, count, y);
          v.start += BLOCK * bytes;
          y += count * bytes;
        }
      }
  }
  return AR_OK;
}

static ar_status run_average(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  return pool(params, io, AVERAGE);
}

static ar_status run_max(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  return pool(params, io, MAXIMUM);
}

static ar_status run_l2(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  return pool(params, io, ROOT_OF_AVERAGE);
}

static ar_status run_mnn_average(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  return pool(params, io, MNN_AVERAGE);
}

AR_PORTABLE_KERNEL(AVERAGE_POOL_2D, measure, ar_plan_nothing, run_average)
AR_PORTABLE_KERNEL(MNN_AVERAGE_POOL, measure, ar_plan_nothing, run_mnn_average)
AR_PORTABLE_KERNEL(L2_POOL_2D, measure_floats, ar_plan_nothing, run_l2)
AR_PORTABLE_KERNEL(MAX_POOL_2D, measure, ar_plan_nothing, run_max)
