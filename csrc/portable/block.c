/* SPACE_TO_DEPTH and DEPTH_TO_SPACE: two axes change places. */
#include "boxes.h"
#include "records/block.h"

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const AxisSwap *p = params;
  if (!ar_alike(&io[0], &io[1]) || !ar_element_bytes(io[0].type)) return AR_UNSUPPORTED;
  const int64_t elements = ar_times(ar_times(p->outer, p->rows), ar_times(p->columns, p->run));
  return elements == ar_elements(&io[0]) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const AxisSwap *p = params;
  if (ar_elements(&io[0]) == 0) return AR_OK;
  const int64_t bytes = p->run * (int64_t)ar_element_bytes(io[0].type);
  ar_box box = {.run = bytes};
  /* The longer one is the inner loop. */
  if (p->columns >= p->rows) {
    ar_box_axis(&box, p->columns, bytes, p->rows * bytes);
    ar_box_axis(&box, p->rows, p->columns * bytes, bytes);
  } else {
    ar_box_axis(&box, p->rows, p->columns * bytes, bytes);
    ar_box_axis(&box, p->columns, bytes, p->rows * bytes);
  }
  const int64_t both = p->rows * (int64_t)p->columns * bytes;
  ar_box_axis(&box, p->outer, both, both);
  ar_copy_box(&box, io[1].data, io[0].data);
  return AR_OK;
}

AR_PORTABLE_KERNEL(SPACE_TO_DEPTH, measure, ar_plan_nothing, run)
AR_PORTABLE_KERNEL(DEPTH_TO_SPACE, measure, ar_plan_nothing, run)
