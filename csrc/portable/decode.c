/* TFLM_DECODE: the outputs are what was decoded when the operator was prepared. */
#include <string.h>

#include "name.h"
#include "records/custom_tflm_decode.h"

/* Outputs come first, two constants for each of them behind. */
static int is_output(const ar_tensor *io, int i) {
  return io[i].type != AR_END && io[i].type != AR_ABSENT;
}

static int outputs_of(const ar_tensor *io) {
  int count = 0;
  while (is_output(io, count)) ++count;
  return count % 3 ? -1 : count / 3;
}

static int64_t bytes_of(const ar_tensor *t) {
  return ar_times(ar_elements(t), ar_element_bytes(t->type));
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const DecodeParams *p = params;
  const int outputs = outputs_of(io);
  int64_t bytes = 0;
  if (outputs < 1) return AR_UNSUPPORTED;
  for (int i = 0; i < outputs; ++i) {
    if (!ar_element_bytes(io[i].type)) return AR_UNSUPPORTED;
    bytes += bytes_of(&io[i]);
  }
  return bytes == p->decoded.count ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const DecodeParams *p = params;
  const int8_t *from = p->decoded.data;
  const int outputs = outputs_of(io);
  for (int i = 0; i < outputs; ++i) {
    const int64_t bytes = bytes_of(&io[i]);
    memcpy(io[i].data, from, (size_t)bytes);
    from += bytes;
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(TFLM_DECODE, measure, ar_plan_nothing, run)
