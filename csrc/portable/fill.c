/* FILL, ZEROS_LIKE and SHAPE: outputs that depend on little of the inputs, or on nothing. */
#include <string.h>

#include "name.h"
#include "records/shape.h"

/* -- FILL: the output, its dimensions, the value */

static ar_status measure_fill(const void *, const ar_tensor *io, ar_sizes *) {
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT32, AR_FLOAT32)) return AR_UNSUPPORTED;
  return io[2].type == io[0].type && ar_elements(&io[2]) == 1 ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_fill(const void *, const void *, const ar_tensor *io, uint8_t *) {
  const int64_t count = ar_elements(&io[0]);
  if (io[0].type == AR_INT8) {
    memset(io[0].data, *(const uint8_t *)io[2].data, (size_t)count);
    return AR_OK;
  }
  uint32_t *y = io[0].data, value;
  memcpy(&value, io[2].data, sizeof value);
  for (int64_t i = 0; i < count; ++i) y[i] = value;
  return AR_OK;
}

/* -- ZEROS_LIKE */

static ar_status measure_zeros(const void *, const ar_tensor *io, ar_sizes *) {
  return ar_element_bytes(io[0].type) > 0 ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_zeros(const void *, const void *, const ar_tensor *io, uint8_t *) {
  memset(io[0].data, 0, (size_t)(ar_elements(&io[0]) * ar_element_bytes(io[0].type)));
  return AR_OK;
}

/* -- SHAPE */

static ar_status measure_shape(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const ShapeParams *p = opaque;
  const int fits = io[0].type == AR_INT32 && ar_elements(&io[0]) == p->dims.count;
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_shape(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const ShapeParams *p = opaque;
  if (p->dims.count) memcpy(io[0].data, p->dims.data, (size_t)p->dims.count * sizeof(int32_t));
  return AR_OK;
}

AR_PORTABLE_KERNEL(FILL, measure_fill, ar_plan_nothing, run_fill)
AR_PORTABLE_KERNEL(ZEROS_LIKE, measure_zeros, ar_plan_nothing, run_zeros)
AR_PORTABLE_KERNEL(SHAPE, measure_shape, ar_plan_nothing, run_shape)
