/* Portable kernels are compiled once per instruction set; the suffix keeps them apart. */
#pragma once

#ifndef AR_SUFFIX
#error "compile with -DAR_SUFFIX=portable, avx2 or avx512vnni"
#endif
#define AR_JOIN2(a, b) a##_##b
#define AR_JOIN(a, b) AR_JOIN2(a, b)
#define AR_NAME(name) AR_JOIN(ar_portable_##name, AR_SUFFIX)

/* Declares a kernel, as AR_KERNEL does in simd/. OPERATOR is its name in the schema. */
#define AR_PORTABLE_KERNEL(OPERATOR, MEASURE, PLAN, RUN) \
  const ar_kernel AR_NAME(OPERATOR) = {#OPERATOR, MEASURE, PLAN, RUN};
/* The same, of a kernel that threads can share. */
#define AR_SHARED_PORTABLE_KERNEL(OPERATOR, MEASURE, PLAN, RUN, PART) \
  const ar_kernel AR_NAME(OPERATOR) = {#OPERATOR, MEASURE, PLAN, RUN, PART};

#include "engine/kernel.h"
#include "engine/proof.h"

/* Declares one as AR_FLAT_KERNEL does, for one output and one input. */
#define AR_FLAT_PORTABLE_KERNEL(OPERATOR, WORK, MEASURE, PLAN, RUN) \
  AR_FLAT_BY_NAME(AR_NAME(OPERATOR), OPERATOR, WORK, MEASURE, PLAN, RUN)
#define AR_FLAT_BY_NAME(NAME, OPERATOR, WORK, MEASURE, PLAN, RUN) \
  AR_DEFINE_FLAT(NAME, OPERATOR, 2, WORK, MEASURE, PLAN, RUN)

/* NaN stays as it is. */
static inline float ar_clamp_float(float x, float low, float high) {
  x = x < low ? low : x;
  return high < x ? high : x;
}

/* For kernels without constants to pack. */
static inline ar_status ar_plan_nothing(const void *, const ar_tensor *, void *) { return AR_OK; }

/* Defines measure() and plan() of a kernel whose plan is a TYPE, which DESCRIBE(params, io, plan) fills. */
#define AR_DESCRIBED(MEASURE, MAKE, TYPE, DESCRIBE)                                    \
  static ar_status MEASURE(const void *params, const ar_tensor *io, ar_sizes *sizes) { \
    TYPE unused;                                                                       \
    sizes->plan = sizeof(TYPE);                                                        \
    return DESCRIBE(params, io, &unused);                                              \
  }                                                                                    \
  static ar_status MAKE(const void *params, const ar_tensor *io, void *memory) {       \
    return DESCRIBE(params, io, memory);                                               \
  }
