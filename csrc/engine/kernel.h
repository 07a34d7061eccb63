/* How a file declares a kernel. cmake/kernel_table.py finds these lines when the engine is built
 * and makes the table that ar_find_kernel reads: nothing else names a kernel. */
#pragma once

#include "engine.h"
#include "engine/share.h"

/* A kernel of an instruction set, in simd/. OPERATOR is its name in the schema; of the kernels
 * that the set has for an operator, ORDER says which is tried first: 1, then 2, and so on. */
#define AR_KERNEL(ISA, ORDER, OPERATOR, MEASURE, PLAN, RUN) \
  const ar_kernel ar_kernel_##ISA##_##OPERATOR##_##ORDER = {#OPERATOR, MEASURE, PLAN, RUN};

/* The same, of a kernel that threads can share. */
#define AR_SHARED_KERNEL(ISA, ORDER, OPERATOR, MEASURE, PLAN, RUN, PART) \
  const ar_kernel ar_kernel_##ISA##_##OPERATOR##_##ORDER = {#OPERATOR, MEASURE, PLAN, RUN, PART};

/* A kernel that goes through its first TENSORS tensors element by element, all alike, and through
 * nothing else: threads share it. Each element takes the time of about WORK products of int8. */
#define AR_DEFINE_FLAT(NAME, OPERATOR, TENSORS, WORK, MEASURE, PLAN, RUN)                     \
  static ar_status NAME##_measure(const void *params, const ar_tensor *io, ar_sizes *sizes) { \
    const ar_status status = MEASURE(params, io, sizes);                                      \
    sizes->work = WORK * ar_elements(&io[0]);                                                 \
    return status;                                                                            \
  }                                                                                           \
  static ar_status NAME##_part(const void *params, const void *plan, const ar_tensor *io,     \
                               uint8_t *workspace, ar_share share) {                          \
    return ar_run_flat(RUN, TENSORS, params, plan, io, workspace, share);                     \
  }                                                                                           \
  const ar_kernel NAME = {#OPERATOR, NAME##_measure, PLAN, RUN, NAME##_part};
#define AR_FLAT_KERNEL(ISA, ORDER, OPERATOR, TENSORS, WORK, MEASURE, PLAN, RUN)                  \
  AR_DEFINE_FLAT(ar_kernel_##ISA##_##OPERATOR##_##ORDER, OPERATOR, TENSORS, WORK, MEASURE, PLAN, \
                 RUN)

/* The same, from FAMILY_measure(), FAMILY_plan(), FAMILY_run() and FAMILY_part(), which may be a
 * null pointer: the first two take an instruction set's parts, the last arguments here, before their
 * own. */
#define AR_FAMILY_KERNEL(ISA, ORDER, OPERATOR, FAMILY, ...)                                      \
  static ar_status ISA##_##OPERATOR##_##ORDER##_measure(const void *params, const ar_tensor *io, \
                                                        ar_sizes *sizes) {                       \
    return FAMILY##_measure(__VA_ARGS__, params, io, sizes);                                     \
  }                                                                                              \
  static ar_status ISA##_##OPERATOR##_##ORDER##_plan(const void *params, const ar_tensor *io,    \
                                                     void *plan) {                               \
    return FAMILY##_plan(__VA_ARGS__, params, io, plan);                                         \
  }                                                                                              \
  AR_SHARED_KERNEL(ISA, ORDER, OPERATOR, ISA##_##OPERATOR##_##ORDER##_measure,                   \
                   ISA##_##OPERATOR##_##ORDER##_plan, FAMILY##_run, FAMILY##_part)
