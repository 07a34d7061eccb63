/* What measure() proves with: that run() stays inside its tensors, tables and workspace, from
 * dimensions and parameters alone, whatever the tensors hold and wherever they lie.
 *
 * ar_find_kernel() has looked at every tensor before (ar_is_sound): no product of dimensions of
 * one tensor leaves int32. Sizes made of parameters are multiplied with ar_times(), whose -1 for
 * what is negative or too large equals no size of a tensor. What is not proven is not taken.
 */
#pragma once

#include <math.h>

#include "arithmetic/fixedpoint.h"
#include "arrays.h"
#include "engine.h"
#include "records/window.h"

/* More elements than this, of dimensions that are no 0, go to Python. */
enum { AR_MOST_ELEMENTS = 1 << 30, AR_MOST_BESIDE_NOTHING = 1 << 20 };

static inline int64_t ar_elements(const ar_tensor *t) {
  int64_t count = 1;
  for (int32_t i = 0; i < t->rank; ++i) count *= t->dims[i];
  return count;
}

static inline int32_t ar_element_bytes(int32_t type) {
  switch (type) {
    case AR_INT8:
    case AR_UINT8:
    case AR_BOOL: return 1;
    case AR_INT16:
    case AR_UINT16:
    case AR_FLOAT16:
    case AR_BFLOAT16: return 2;
    case AR_INT32:
    case AR_UINT32:
    case AR_FLOAT32: return 4;
    case AR_INT64:
    case AR_UINT64:
    case AR_FLOAT64:
    case AR_COMPLEX64: return 8;
    default: return 0;
  }
}

/* The bytes of a tensor; 0 for types whose size is not known here. */
static inline int64_t ar_tensor_bytes(const ar_tensor *t) {
  if (t->type == AR_INT4) return (ar_elements(t) + 1) / 2;
  return ar_elements(t) * ar_element_bytes(t->type);
}

static inline int ar_is_one_of(int32_t type, const int32_t *types, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (types[i] == type) return 1;
  return 0;
}
#define AR_IS_ONE_OF(type, ...)                      \
  ar_is_one_of(type, (const int32_t[]){__VA_ARGS__}, \
               (int32_t)(sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)))

/* Whether two tensors have the same type and as many elements. */
static inline int ar_alike(const ar_tensor *a, const ar_tensor *b) {
  return a->type == b->type && ar_elements(a) == ar_elements(b);
}

/* Whether dimensions can be multiplied without care. An empty tensor's others are bounded too:
 * loops around nothing take their time. */
static inline int ar_is_sound(const ar_tensor *t) {
  int64_t filled = 1, empty = 0;
  if (t->rank < 0 || t->rank > 6) return 0;
  for (int32_t i = 0; i < t->rank; ++i) {
    if (t->dims[i] < 0) return 0;
    if (t->dims[i] == 0) empty = 1;
    else filled *= t->dims[i];
    if (filled > AR_MOST_ELEMENTS) return 0;
  }
  return !empty || filled <= AR_MOST_BESIDE_NOTHING;
}

/* The product of two sizes; -1 if one is negative, or if int64 does not hold it. */
static inline int64_t ar_times(int64_t a, int64_t b) {
  int64_t product;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return -1;
  return product;
}

/* Adds a times b to a sum; 0 if int64 does not hold it. */
static inline int ar_add_product(int64_t *sum, int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static inline int ar_has_shape(const ar_tensor *t, const int64_t *shape, int32_t rank) {
  if (t->rank != rank) return 0;
  for (int32_t i = 0; i < rank; ++i)
    if (t->dims[i] != shape[i]) return 0;
  return 1;
}
/* Whether a tensor has just these dimensions. */
#define AR_HAS_SHAPE(t, ...)                      \
  ar_has_shape(t, (const int64_t[]){__VA_ARGS__}, \
               (int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* Whether a tensor is absent, or holds at least so many elements. */
static inline int ar_has_or_lacks(const ar_tensor *t, int64_t elements) {
  return t->type == AR_ABSENT || (elements >= 0 && ar_elements(t) >= elements);
}

/* Whether `size` places from `start` on, `stride` apart, are among n; no place always is. */
static inline int ar_places_inside(int64_t start, int64_t size, int64_t stride, int64_t n) {
  if (size <= 0) return size == 0;
  int64_t last = start;
  if (!ar_add_product(&last, size - 1, stride)) return 0;
  return start >= 0 && start < n && last >= 0 && last < n;
}

/* Whether an array has so many numbers, all of them places among n. */
static inline int ar_are_places(ar_int32s array, int64_t count, int64_t n) {
  if (count < 0 || array.count < count) return 0;
  for (int64_t i = 0; i < count; ++i)
    if (array.data[i] < 0 || array.data[i] >= n) return 0;
  return 1;
}

/* Whether the arithmetic of fixedpoint.h is defined for a shift that asks for two roundings. */
static inline int ar_is_shift(int32_t shift) { return shift >= -31 && shift <= 31; }

/* Whether ar_rescale is: that may ask for one. */
static inline int ar_is_rescale(int32_t shift) {
  return ar_is_shift(shift) || (shift >= AR_ONCE - 31 && shift <= AR_ONCE + 30);
}

/* The same for int64 accumulators, which may ask for 31 bits. */
static inline int ar_is_wide_rescale(int32_t shift) {
  return ar_is_rescale(ar_is_narrow(shift) ? shift - AR_NARROW : shift) &&
         ar_bare_shift(shift) <= 14;
}

/* Whether a zero point can be added to a quantised value: a file may hold any number. */
static inline int ar_is_small(int32_t offset) { return offset > -(1 << 20) && offset < (1 << 20); }

/* Whether a window goes from the images x to y, with filters of these sizes. Positions and taps
 * may lie anywhere, beside the image as well. */
static inline int ar_slides(const Window *w, const ar_tensor *y, const ar_tensor *x, int64_t rows,
                            int64_t columns, int64_t channels) {
  if (x->rank != 4 || w->filter_size[0] != rows || w->filter_size[1] != columns) return 0;
  for (int i = 0; i < 2; ++i)
    if (w->stride[i] < 1 || w->dilation[i] < 1 || w->filter_size[i] < 1) return 0;
  return AR_HAS_SHAPE(y, x->dims[0], w->output_size[0], w->output_size[1], channels);
}

/* Whether some tap of a window lies beside an image of this size at some position. */
static inline int ar_leaves_image(const Window *w, const ar_tensor *x) {
  for (int i = 0; i < 2; ++i) {
    const int64_t first = -(int64_t)w->padding[i];
    const int64_t last = first + (int64_t)(w->output_size[i] - 1) * w->stride[i] +
                         (int64_t)(w->filter_size[i] - 1) * w->dilation[i];
    if (first < 0 || last >= x->dims[1 + i]) return 1;
  }
  return 0;
}

/* Whether floats are numbers. An infinity times the zeros that stand beside an image is none. */
static inline int ar_are_finite(const float *x, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!isfinite(x[i])) return 0;
  return 1;
}
