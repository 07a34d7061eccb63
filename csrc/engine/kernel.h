/* How a file declares a kernel. cmake/kernel_table.py finds these lines when the engine is built
 * and makes the table that ar_find_kernel reads: nothing else names a kernel. */
#ifndef ARENITE_KERNEL_H
#define ARENITE_KERNEL_H

#include "engine.h"

/* A kernel of an instruction set, in lanes/. OPERATOR is its name in the schema; of the kernels
 * that the set has for an operator, ORDER says which is tried first: 1, then 2, and so on. */
#define AR_KERNEL(ISA, ORDER, OPERATOR, MEASURE, PLAN, RUN) \
  const ar_kernel ar_kernel_##ISA##_##OPERATOR##_##ORDER = {#OPERATOR, MEASURE, PLAN, RUN};

/* The same, of a kernel that threads can share. */
#define AR_SHARED_KERNEL(ISA, ORDER, OPERATOR, MEASURE, PLAN, RUN, PART) \
  const ar_kernel ar_kernel_##ISA##_##OPERATOR##_##ORDER = {#OPERATOR, MEASURE, PLAN, RUN, PART};

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

#endif
