/* LOGICAL_AND and LOGICAL_OR of bools that broadcast. */
#include "broadcast.h"

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *sizes) {
  if (io[0].type != AR_BOOL) return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

/* A bool is a byte, and true unless that is 0. */
#define AND(p, a, b) ((void)(p), ((a) != 0) & ((b) != 0))
#define OR(p, a, b) ((void)(p), ((a) | (b)) != 0)

AR_BINARY(conjunction, uint8_t, ar_no_params, AND)
AR_BINARY(disjunction, uint8_t, ar_no_params, OR)

static ar_status logical_and(const void *, const void *plan, const ar_tensor *io, uint8_t *) {
  conjunction(plan, &(ar_no_params){0}, io);
  return AR_OK;
}

static ar_status logical_or(const void *, const void *plan, const ar_tensor *io, uint8_t *) {
  disjunction(plan, &(ar_no_params){0}, io);
  return AR_OK;
}

AR_PORTABLE_KERNEL(LOGICAL_AND, measure, ar_plan_binary, logical_and)
AR_PORTABLE_KERNEL(LOGICAL_OR, measure, ar_plan_binary, logical_or)
