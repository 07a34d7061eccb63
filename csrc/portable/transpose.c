/* TRANSPOSE: the axes of a tensor in another order. */
#include "strides.h"
#include "records/transpose.h"

static ar_status describe(const TransposeParams *p, const ar_tensor *io, ar_walk *walk) {
  const ar_tensor *x = &io[1];
  int64_t step[AR_WALK_RANK];
  if (!ar_alike(&io[0], x) || !ar_element_bytes(x->type) || x->rank > 5) return AR_UNSUPPORTED;
  int64_t elements = 1;
  for (int32_t i = x->rank - 1; i >= 0; --i) {
    step[i] = elements;
    elements *= x->dims[i];
  }
  *walk = (ar_walk){.rank = x->rank};
  uint32_t seen = 0;
  for (int32_t i = 0; i < x->rank; ++i) {
    if (p->perm[i] < 0 || p->perm[i] >= x->rank || seen >> p->perm[i] & 1) return AR_UNSUPPORTED;
    seen |= 1u << p->perm[i];
    walk->size[i] = x->dims[p->perm[i]];
    walk->step[i] = step[p->perm[i]];
  }
  ar_simplify(walk);
  return AR_OK;
}

AR_DESCRIBED(measure, plan, ar_walk, describe)

static ar_status run(const void *, const void *memory, const ar_tensor *io, uint8_t *) {
  ar_gather(memory, io[1].data, 0, io[0].data, ar_element_bytes(io[0].type));
  return AR_OK;
}

AR_PORTABLE_KERNEL(TRANSPOSE, measure, plan, run)
