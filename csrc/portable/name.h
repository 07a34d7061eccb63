/* Portable kernels are compiled once per instruction set; the suffix keeps them apart. */
#ifndef ARENITE_PORTABLE_NAME_H
#define ARENITE_PORTABLE_NAME_H

#ifndef AR_SUFFIX
#error "compile with -DAR_SUFFIX=portable, avx2 or avx512vnni"
#endif
#define AR_JOIN2(a, b) a##_##b
#define AR_JOIN(a, b) AR_JOIN2(a, b)
#define AR_NAME(name) AR_JOIN(ar_portable_##name, AR_SUFFIX)

/* Declares a kernel, as AR_KERNEL does in lanes/. OPERATOR is its name in the schema. */
#define AR_PORTABLE_KERNEL(OPERATOR, MEASURE, PLAN, RUN) \
  const ar_kernel AR_NAME(OPERATOR) = {#OPERATOR, MEASURE, PLAN, RUN};

#include "engine.h"

static inline int64_t ar_elements(const ar_tensor *t) {
  int64_t count = 1;
  for (int32_t i = 0; i < t->rank; ++i) count *= t->dims[i];
  return count;
}

static inline int32_t ar_element_bytes(int32_t type) {
  switch (type) {
    case AR_INT8: case AR_UINT8: case AR_BOOL: return 1;
    case AR_INT16: return 2;
    case AR_INT32: case AR_UINT32: case AR_FLOAT32: return 4;
    case AR_INT64: return 8;
    default: return 0;
  }
}

static inline int ar_is_one_of(int32_t type, const int32_t *types, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (types[i] == type) return 1;
  return 0;
}
#define AR_IS_ONE_OF(type, ...) \
  ar_is_one_of(type, (const int32_t[]){__VA_ARGS__}, \
               (int32_t)(sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)))

/* Whether a zero point can be added to a quantised value: a file may hold any number. */
static inline int ar_is_small(int32_t offset) { return offset > -(1 << 20) && offset < (1 << 20); }

/* Whether two tensors have the same type and as many elements. */
static inline int ar_alike(const ar_tensor *a, const ar_tensor *b) {
  return a->type == b->type && ar_elements(a) == ar_elements(b);
}

/* NaN stays as it is. */
static inline float ar_clamp_float(float x, float low, float high) {
  x = x < low ? low : x;
  return high < x ? high : x;
}

/* For kernels without constants to pack. */
static inline ar_status ar_plan_nothing(const void *params, const ar_tensor *io, void *plan) {
  (void)params, (void)io, (void)plan;
  return AR_OK;
}

#endif
