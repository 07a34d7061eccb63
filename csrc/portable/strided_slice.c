/* STRIDED_SLICE: some elements of every axis, at equal distances. */
#include "strides.h"
#include "records/strided_slice.h"

typedef struct {
  ar_walk walk;
  int64_t start;
} slice_plan;

static ar_status describe(const StridedSliceParams *p, const ar_tensor *io, slice_plan *plan) {
  const ar_tensor *y = &io[0], *x = &io[1];
  if (x->rank > 4 || y->type != x->type || !ar_element_bytes(x->type)) return AR_UNSUPPORTED;
  *plan = (slice_plan){.walk = {.rank = x->rank}};
  int64_t step = 1, taken = 1;
  for (int32_t i = x->rank - 1; i >= 0; --i) {
    plan->walk.size[i] = p->size[i];
    if (!ar_places_inside(p->start[i], p->size[i], p->stride[i], x->dims[i])) return AR_UNSUPPORTED;
    plan->walk.step[i] = p->stride[i] * step;
    plan->start += p->start[i] * step;
    step *= x->dims[i];
    taken = ar_times(taken, p->size[i]);
  }
  if (taken != ar_elements(y)) return AR_UNSUPPORTED;
  ar_simplify(&plan->walk);
  return AR_OK;
}

AR_DESCRIBED(measure, plan, slice_plan, describe)

static ar_status run(const void *, const void *memory, const ar_tensor *io, uint8_t *) {
  const slice_plan *plan = memory;
  ar_gather(&plan->walk, io[1].data, plan->start, io[0].data, ar_element_bytes(io[0].type));
  return AR_OK;
}

AR_PORTABLE_KERNEL(STRIDED_SLICE, measure, plan, run)
