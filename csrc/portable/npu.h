/* What an NPU does with lines of int64: loads, scales, stores. The same bits as
 * src/arenite/npu/arithmetic.py, where what leaves 64 bits wraps. */
#pragma once

#include "name.h"
#include "records/npu_records.h"
#include "sigmoid_int16.h"

enum { AR_NPU_LINE = 256, AR_NPU_BYTES = 256, AR_NPU_PAIRS = 512, AR_NPU_MOST_SHIFT = 63 };
/* As in src/arenite/npu/operations.py. */
enum {
  AR_NPU_DOUBLE,
  AR_NPU_TRUNCATE,
  AR_NPU_NATURAL,
  AR_NPU_ASYMMETRIC,
  AR_NPU_SYMMETRIC,
  AR_NPU_LOWER
};
enum { AR_NPU_NO_CURVE, AR_NPU_TANH, AR_NPU_LOGISTIC };
enum { AR_NPU_PLAIN, AR_NPU_NEAREST, AR_NPU_ZEROS };

/* -- arithmetic that wraps */

static inline int64_t ar_npu_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t ar_npu_times(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
static inline int64_t ar_npu_left(int64_t a, int32_t shift) {
  return (int64_t)((uint64_t)a << shift);
}
static inline int64_t ar_npu_minus(int64_t a) { return (int64_t)(0 - (uint64_t)a); }

/* x / 2^shift towards zero, and with halves up. */
static inline int64_t ar_npu_truncated(int64_t x, int32_t shift) {
  return x >= 0 ? x >> shift : ar_npu_minus(ar_npu_minus(x) >> shift);
}
static inline int64_t ar_npu_upwards(int64_t x, int32_t shift) {
  return ar_npu_add(x, ar_npu_left(1, shift) >> 1) >> shift;
}

/* With halves away from zero. */
static inline int64_t ar_npu_outwards(int64_t x, int32_t shift) {
  return x >= 0 ? ar_npu_upwards(x, shift) : ar_npu_minus(ar_npu_upwards(ar_npu_minus(x), shift));
}

static inline int64_t ar_npu_divided(int64_t x, int32_t shift, int32_t rounding) {
  switch (rounding) {
    case AR_NPU_NATURAL: return ar_npu_upwards(x, shift);
    case AR_NPU_SYMMETRIC: return ar_npu_outwards(x, shift);
    case AR_NPU_LOWER: return x >> shift;
    default: return ar_npu_truncated(x, shift);
  }
}

/* A doubling high product, and what it is shifted by. */
static inline int64_t ar_npu_high(int64_t x, int64_t multiplier, int32_t shift) {
  const int64_t product = ar_npu_times(ar_npu_left(x, shift < 31 ? 31 - shift : 0), multiplier);
  return ar_npu_add(product, INT64_C(1) << 30) >> 31;
}

/* A doubling high product, then a rounding shift. */
static inline int64_t ar_npu_twice_rounded(int64_t x, int64_t multiplier, int32_t shift) {
  const int32_t right = shift > 31 ? shift - 31 : 0;
  const int64_t high = ar_npu_high(x, multiplier, shift), mask = (INT64_C(1) << right) - 1;
  return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0));
}

static inline int64_t ar_npu_rescaled(int64_t x, int64_t multiplier, int32_t shift,
                                      int32_t rounding) {
  if (rounding == AR_NPU_DOUBLE) return ar_npu_twice_rounded(x, multiplier, shift);
  if (rounding == AR_NPU_ASYMMETRIC)
    return ar_npu_upwards(ar_npu_high(x, multiplier, shift), shift > 31 ? shift - 31 : 0);
  return ar_npu_divided(ar_npu_times(x, multiplier), shift, rounding);
}

/* -- lines */

static inline int ar_npu_is_type(int32_t type) {
  return AR_IS_ONE_OF(type, AR_INT8, AR_UINT8, AR_INT16, AR_UINT16, AR_INT32, AR_UINT32);
}

/* One number for all elements of a line; 1 / 2^0 leaves them as they are. */
static inline void ar_npu_rescale(int64_t *restrict line, int64_t count, int64_t multiplier,
                                  int32_t shift, int32_t rounding) {
  if (multiplier == 1 && shift == 0) return;
  if (rounding == AR_NPU_DOUBLE)
    for (int64_t i = 0; i < count; ++i) line[i] = ar_npu_twice_rounded(line[i], multiplier, shift);
  else
    for (int64_t i = 0; i < count; ++i)
      line[i] = ar_npu_rescaled(line[i], multiplier, shift, rounding);
}

static inline void ar_npu_scale(const NpuResultParams *r, int64_t *line, int64_t count) {
  if (r->has_scale) ar_npu_rescale(line, count, r->multiplier, r->shift, r->rounding);
}

/* Elements from `first` on, `step` apart (0 or 1), without their zero point. */
void AR_NAME(npu_load)(const ar_tensor *x, int64_t first, int32_t step, int64_t count,
                       int32_t zero_point, int64_t *line);

/* Scaled sums with zero point, curve, limits and table, stored from element `first` on. */
void AR_NAME(npu_finish)(const NpuResultParams *result, int64_t *line, int64_t count, ar_tensor y,
                         int64_t first);

/* Whether that stays inside the tables. */
int AR_NAME(npu_check)(const NpuResultParams *result, const ar_tensor *y);

/* -- windows */

/* Where a row or column of an upscaled input of `size` lies in memory: -1 for the zeros between them,
 * -2 for padding. */
static inline int32_t ar_npu_place(int32_t place, int32_t size, int32_t upscale) {
  if (place < 0 || place >= size) return -2;
  if (upscale == AR_NPU_PLAIN) return place;
  return upscale == AR_NPU_ZEROS && place % 2 ? -1 : place / 2;
}

/* Whether a window stays inside an upscaled input of `size`, which `x` holds, and gives y. */
static inline int ar_npu_slides(const Window *w, const int32_t *size, int32_t upscale,
                                const ar_tensor *y, const ar_tensor *x) {
  enum { MOST = 1 << 17, LAST = 1 << 29 };
  if (y->rank != 4 || x->rank != 4 || upscale < AR_NPU_PLAIN || upscale > AR_NPU_ZEROS) return 0;
  for (int i = 0; i < 2; ++i) {
    const int32_t held = upscale == AR_NPU_PLAIN ? size[i] : size[i] / 2 + size[i] % 2;
    if (size[i] < 1 || size[i] > MOST || held > x->dims[1 + i]) return 0;
    if (w->padding[i] < 0 || w->padding[i] > MOST) return 0;
    if (w->stride[i] < 1 || ar_times(w->stride[i], w->output_size[i]) > LAST) return 0;
    if (w->dilation[i] < 1 || ar_times(w->dilation[i], w->filter_size[i]) > LAST) return 0;
    if (w->filter_size[i] < 1 || w->filter_size[i] > MOST || w->output_size[i] < 1) return 0;
  }
  return x->dims[0] == 1 && AR_HAS_SHAPE(y, 1, w->output_size[0], w->output_size[1], y->dims[3]);
}
