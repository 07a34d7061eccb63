/* SUM over some axes: int8 and int16 requantised, float32. */
#include "axis_sums.h"

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  ar_reduction unused;
  sizes->plan = sizeof(ar_reduction);
  sizes->workspace = ar_elements(&io[0]) * 4;
  return ar_describe_sums(params, io, &unused);
}

static ar_status plan(const void *params, const ar_tensor *io, void *memory) {
  return ar_describe_sums(params, io, memory);
}

static ar_status run(const void *params, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  uint32_t *sums = (uint32_t *)workspace;
  if (ar_elements(&io[1]) == 0) {
    memset(io[0].data, 0, (size_t)(ar_elements(&io[0]) * ar_element_bytes(io[0].type)));
    return AR_OK;
  }
  ar_sum_up(memory, io, sums);
  if (io[0].type != AR_FLOAT32) ar_requantize_sums(params, memory, sums, &io[0]);
  return AR_OK;
}

AR_PORTABLE_KERNEL(SUM, measure, plan, run)
