/* TILE: a tensor repeated along each axis. */
#include <string.h>

#include "name.h"
#include "records/mnn_tile.h"

enum { MAX_RANK = 6 };

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const MnnTileParams *p = opaque;
  if (io[0].type != io[1].type || !ar_element_bytes(io[0].type) || io[1].rank > MAX_RANK)
    return AR_UNSUPPORTED;
  int64_t elements = 1;
  for (int32_t i = 0; i < io[1].rank; ++i) {
    if (p->multiples[i] < 0) return AR_UNSUPPORTED;
    elements = ar_times(elements, (int64_t)io[1].dims[i] * p->multiples[i]);
  }
  return elements == ar_elements(&io[0]) ? AR_OK : AR_UNSUPPORTED;
}

/* Row by row: the indices of the output, modulo the input's sizes, are the input's. */
static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const MnnTileParams *p = opaque;
  const ar_tensor *x = &io[1];
  const int32_t last = x->rank - 1;
  const int64_t row = (last < 0 ? 1 : x->dims[last]) * (int64_t)ar_element_bytes(x->type);
  const int64_t times = last < 0 ? 1 : p->multiples[last];
  uint8_t *y = io[0].data;
  int32_t index[MAX_RANK] = {0};
  if (ar_elements(&io[0]) == 0) return AR_OK;
  for (;;) {
    int64_t number = 0;
    for (int32_t i = 0; i < last; ++i) number = number * x->dims[i] + index[i] % x->dims[i];
    for (int64_t i = 0; i < times; ++i, y += row)
      memmove(y, (const uint8_t *)x->data + number * row, (size_t)row);
    int32_t axis = last - 1;
    while (axis >= 0 && ++index[axis] == x->dims[axis] * p->multiples[axis]) index[axis--] = 0;
    if (axis < 0) return AR_OK;
  }
}

AR_PORTABLE_KERNEL(MNN_TILE, measure, ar_plan_nothing, run)
