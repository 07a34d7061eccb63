/* MEAN over some axes: int8 and int16 as requantised sums, float32. */
#include "axis_sums.h"

static ar_status describe(const ReductionParams *p, const ar_tensor *io, ar_reduction *plan) {
  const ar_status status = ar_describe_sums(p, io, plan);
  if (status != AR_OK || plan->count < 1) return AR_UNSUPPORTED;
  /* The multiplier takes up 1 / count with as many bits as the shift has room for. */
  int32_t spare = 31 - ar_leading_zeros((uint32_t)plan->count);
  const int32_t room = 31 + ar_bare_shift(p->shift);
  if (spare > room) spare = room;
  if (spare < 0) return AR_UNSUPPORTED;
  plan->multiplier = (int32_t)((int64_t)p->multiplier * (INT64_C(1) << spare) / plan->count);
  plan->shift = p->shift - spare;
  return AR_OK;
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  ar_reduction unused;
  sizes->plan = sizeof(ar_reduction);
  sizes->workspace = ar_elements(&io[0]) * 4;
  return describe(params, io, &unused);
}

static ar_status plan(const void *params, const ar_tensor *io, void *memory) {
  return describe(params, io, memory);
}

static ar_status run(const void *params, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const ar_reduction *plan = memory;
  uint32_t *sums = (uint32_t *)workspace;
  ar_sum_up(plan, io, sums);
  if (io[0].type != AR_FLOAT32) {
    ar_requantize_sums(params, plan, sums, &io[0]);
    return AR_OK;
  }
  float *y = io[0].data;
  const int64_t n = ar_elements(&io[0]);
  for (int64_t i = 0; i < n; ++i) y[i] /= (float)plan->count;
  return AR_OK;
}

AR_PORTABLE_KERNEL(MEAN, measure, plan, run)
