/* RESIZE_BILINEAR (int8, float32) and RESIZE_NEAREST_NEIGHBOR (int8, int16, float32). */
#include <string.h>

#include "arithmetic/fixedpoint.h"
#include "name.h"
#include "records/resize_bilinear.h"
#include "records/resize_nearest_neighbor.h"

enum { FRACTION_BITS = 10, ONE = 1 << FRACTION_BITS };

static int are_images(const ar_tensor *y, const ar_tensor *x) {
  return x->rank == 4 && y->rank == 4 && x->type == y->type && x->dims[0] == y->dims[0] &&
         x->dims[3] == y->dims[3];
}

static ar_status measure_nearest(const void *params, const ar_tensor *io, ar_sizes *) {
  const ResizeNearestNeighborParams *p = params;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (!are_images(y, x) || !ar_element_bytes(x->type)) return AR_UNSUPPORTED;
  const int fits = ar_are_places(p->rows, y->dims[1], x->dims[1]) &&
                   ar_are_places(p->columns, y->dims[2], x->dims[2]);
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_nearest(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const ResizeNearestNeighborParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  const int64_t pixel = (int64_t)x->dims[3] * ar_element_bytes(x->type);
  const int64_t row = x->dims[2] * pixel, image = x->dims[1] * row;
  uint8_t *to = y->data;
  for (int32_t n = 0; n < y->dims[0]; ++n)
    for (int32_t i = 0; i < y->dims[1]; ++i) {
      const uint8_t *from = (const uint8_t *)x->data + n * image + p->rows.data[i] * row;
      for (int32_t j = 0; j < y->dims[2]; ++j, to += pixel)
        memmove(to, from + p->columns.data[j] * pixel, (size_t)pixel);
    }
  return AR_OK;
}

/* Whether an axis of n elements becomes one of `count`. */
static int interpolates(const Interpolation *axis, int32_t type, int64_t count, int64_t n) {
  if (!ar_are_places(axis->lower, count, n) || !ar_are_places(axis->upper, count, n)) return 0;
  if (type == AR_FLOAT32) return axis->float_fraction.count >= count;
  if (axis->fraction.count < count) return 0;
  for (int64_t i = 0; i < count; ++i)
    if (axis->fraction.data[i] < -ONE || axis->fraction.data[i] > ONE) return 0;
  return 1;
}

static ar_status measure_bilinear(const void *params, const ar_tensor *io, ar_sizes *) {
  const ResizeBilinearParams *p = params;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (!AR_IS_ONE_OF(y->type, AR_INT8, AR_FLOAT32) || !are_images(y, x)) return AR_UNSUPPORTED;
  const int fits = interpolates(&p->rows, y->type, y->dims[1], x->dims[1]) &&
                   interpolates(&p->columns, y->type, y->dims[2], x->dims[2]);
  return fits ? AR_OK : AR_UNSUPPORTED;
}

/* One pixel from the four around it, `down` and `right` of the first. */
static void mix_int8(const int8_t *const corner[4], int32_t down, int32_t right, int32_t channels,
                     int8_t *restrict y) {
  const int32_t up = ONE - down, left = ONE - right;
  const int8_t *a = corner[0], *b = corner[1], *c = corner[2], *d = corner[3];
  for (int32_t i = 0; i < channels; ++i) {
    const int32_t first = a[i] * up + c[i] * down, second = b[i] * up + d[i] * down;
    y[i] = (int8_t)ar_rdbpot(first * left + second * right, 2 * FRACTION_BITS);
  }
}

/* The same with halves up. */
static void mix_int8_up(const int8_t *const corner[4], int32_t down, int32_t right,
                        int32_t channels, int8_t *restrict y) {
  const int32_t up = ONE - down, left = ONE - right;
  const int8_t *a = corner[0], *b = corner[1], *c = corner[2], *d = corner[3];
  for (int32_t i = 0; i < channels; ++i) {
    const int32_t first = a[i] * up + c[i] * down, second = b[i] * up + d[i] * down;
    const int32_t half = 1 << (2 * FRACTION_BITS - 1);
    y[i] = (int8_t)((first * left + second * right + half) >> (2 * FRACTION_BITS));
  }
}

/* Multiplied and added in TFLM's order. */
static void mix_float(const float *const corner[4], float down, float right, int32_t channels,
                      float *restrict y) {
  const float up = 1.0f - down, left = 1.0f - right;
  const float *a = corner[0], *b = corner[1], *c = corner[2], *d = corner[3];
  for (int32_t i = 0; i < channels; ++i)
    y[i] = a[i] * up * left + c[i] * down * left + b[i] * up * right + d[i] * down * right;
}

#define AR_BILINEAR(T, FRACTIONS, MIX)                                                           \
  static void bilinear_##T(const ResizeBilinearParams *p, const ar_tensor *y,                    \
                           const ar_tensor *x) {                                                 \
    const Interpolation *rows = &p->rows, *columns = &p->columns;                                \
    const int32_t channels = x->dims[3];                                                         \
    const int64_t row = (int64_t)x->dims[2] * channels, image = x->dims[1] * row;                \
    T *to = y->data;                                                                             \
    for (int32_t n = 0; n < y->dims[0]; ++n)                                                     \
      for (int32_t i = 0; i < y->dims[1]; ++i) {                                                 \
        const T *above = (const T *)x->data + n * image + rows->lower.data[i] * row;             \
        const T *below = (const T *)x->data + n * image + rows->upper.data[i] * row;             \
        for (int32_t j = 0; j < y->dims[2]; ++j, to += channels) {                               \
          const int64_t left = (int64_t)columns->lower.data[j] * channels;                       \
          const int64_t right = (int64_t)columns->upper.data[j] * channels;                      \
          const T *const corner[4] = {above + left, above + right, below + left, below + right}; \
          MIX(corner, rows->FRACTIONS.data[i], columns->FRACTIONS.data[j], channels, to);        \
        }                                                                                        \
      }                                                                                          \
  }

typedef int8_t int8;
typedef int8_t int8_up;
AR_BILINEAR(int8, fraction, mix_int8)
AR_BILINEAR(int8_up, fraction, mix_int8_up)
AR_BILINEAR(float, float_fraction, mix_float)

static ar_status run_bilinear(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const ResizeBilinearParams *p = params;
  if (io[0].type == AR_INT8) (p->halves_up ? bilinear_int8_up : bilinear_int8)(p, &io[0], &io[1]);
  else bilinear_float(params, &io[0], &io[1]);
  return AR_OK;
}

AR_PORTABLE_KERNEL(RESIZE_BILINEAR, measure_bilinear, ar_plan_nothing, run_bilinear)
AR_PORTABLE_KERNEL(RESIZE_NEAREST_NEIGHBOR, measure_nearest, ar_plan_nothing, run_nearest)
