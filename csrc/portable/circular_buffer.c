/* CIRCULAR_BUFFER: the output moves by a slot and takes the input in; then the inference ends,
 * unless as many have passed as the period says. The state is TFLM's OpDataCircularBuffer. */
#include <string.h>

#include "name.h"
#include "records/custom_circular_buffer.h"

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const CircularBufferParams *p = params;
  const int64_t size = ar_times(p->slots, p->depth);
  if (io[0].type != AR_INT8 || io[1].type != AR_INT8 || io[2].type != AR_UINT8)
    return AR_UNSUPPORTED;
  if (p->slots < 1 || size < 0 || ar_elements(&io[0]) < size || ar_elements(&io[1]) < p->depth)
    return AR_UNSUPPORTED;
  return io[2].rank == 1 && io[2].dims[0] == 2 * sizeof(int32_t) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const CircularBufferParams *p = params;
  const size_t depth = (size_t)p->depth, all_but_one = (size_t)(p->slots - 1) * depth;
  int8_t *slots = io[0].data;
  uint32_t *data = io[2].data; /* until it runs, period */
  memmove(slots, slots + depth, all_but_one);
  memmove(slots + all_but_one, io[1].data, depth);
  if (--data[0] != 0) return AR_ABORTED;
  data[0] = data[1];
  return AR_OK;
}

AR_PORTABLE_KERNEL(CIRCULAR_BUFFER, measure, ar_plan_nothing, run)
