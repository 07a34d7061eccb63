/* GATHER and GATHER_ND: slices of a tensor, chosen by int32 indices. */
#include <string.h>

#include "name.h"
#include "records/gather.h"
#include "records/gather_nd.h"

/* -- GATHER: out[batch, outer, index, inner] = x[batch, outer, indices[batch, index], inner] */

typedef struct {
  int64_t batches, outer, n, inner, indices; /* per batch */
} gather_sizes;

static gather_sizes sizes_of(const GatherParams *p, const ar_tensor *io) {
  const ar_tensor *x = &io[1];
  gather_sizes s = {1, 1, x->dims[p->axis], 1, 0};
  for (int32_t i = 0; i < p->batch_dims; ++i) s.batches *= x->dims[i];
  for (int32_t i = p->batch_dims; i < p->axis; ++i) s.outer *= x->dims[i];
  for (int32_t i = p->axis + 1; i < x->rank; ++i) s.inner *= x->dims[i];
  s.indices = s.batches ? ar_elements(&io[2]) / s.batches : 0;
  return s;
}

static ar_status measure_gather(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const GatherParams *p = opaque;
  if (io[0].type != io[1].type || !ar_element_bytes(io[0].type) || io[2].type != AR_INT32)
    return AR_UNSUPPORTED;
  if (p->axis < 0 || p->axis >= io[1].rank || p->batch_dims < 0 || p->batch_dims > p->axis)
    return AR_UNSUPPORTED;
  const gather_sizes s = sizes_of(p, io);
  const int64_t elements = ar_times(ar_times(s.batches, s.outer), ar_times(s.indices, s.inner));
  return elements == ar_elements(&io[0]) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_gather(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const gather_sizes s = sizes_of(opaque, io);
  const int32_t *indices = io[2].data;
  const int64_t slice = s.inner * ar_element_bytes(io[0].type);
  const uint8_t *x = io[1].data;
  uint8_t *y = io[0].data;
  if (ar_elements(&io[0]) == 0) return AR_OK;
  for (int64_t b = 0; b < s.batches; ++b, indices += s.indices)
    for (int64_t o = 0; o < s.outer; ++o, x += s.n * slice)
      for (int64_t i = 0; i < s.indices; ++i, y += slice) {
        /* Looked at where it is used: the output may lie over the indices. */
        const int32_t index = indices[i];
        if (index < 0 || index >= s.n) return AR_BAD_ARGUMENT;
        memmove(y, x + index * slice, (size_t)slice);
      }
  return AR_OK;
}

/* -- GATHER_ND: one slice for every vector of indices */

static ar_status measure_gather_nd(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const GatherNdParams *p = opaque;
  if (io[0].type != io[1].type || !ar_element_bytes(io[0].type) || io[2].type != AR_INT32)
    return AR_UNSUPPORTED;
  const ar_tensor *indices = &io[2];
  if (indices->rank < 1 || indices->dims[indices->rank - 1] > 5) return AR_UNSUPPORTED;
  int64_t vectors = 1;
  for (int32_t i = 0; i < indices->rank - 1; ++i) vectors *= indices->dims[i];
  if (p->slice_size > ar_elements(&io[1])) return AR_UNSUPPORTED;
  return ar_times(vectors, p->slice_size) == ar_elements(&io[0]) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_gather_nd(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const GatherNdParams *p = opaque;
  const int64_t slice = p->slice_size * ar_element_bytes(io[0].type);
  const int64_t last = ar_elements(&io[1]) - p->slice_size;
  const int32_t depth = io[2].dims[io[2].rank - 1];
  const int32_t *vector = io[2].data;
  int64_t vectors = 1;
  for (int32_t i = 0; i < io[2].rank - 1; ++i) vectors *= io[2].dims[i];
  if (ar_elements(&io[0]) == 0) return AR_OK;
  for (int64_t i = 0; i < vectors; ++i, vector += depth) {
    int64_t start = 0;
    for (int32_t j = 0; j < depth; ++j)
      if (!ar_add_product(&start, vector[j], p->strides[j])) return AR_BAD_ARGUMENT;
    if (start < 0 || start > last) return AR_BAD_ARGUMENT;
    memmove((uint8_t *)io[0].data + i * slice,
            (const uint8_t *)io[1].data + start * ar_element_bytes(io[0].type), (size_t)slice);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(GATHER, measure_gather, ar_plan_nothing, run_gather)
AR_PORTABLE_KERNEL(GATHER_ND, measure_gather_nd, ar_plan_nothing, run_gather_nd)
