/* MAXIMUM and MINIMUM of tensors that broadcast. A comparison with NaN takes input 1. */
#include "broadcast.h"

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *sizes) {
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT16, AR_INT32, AR_INT64, AR_FLOAT32))
    return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

typedef struct {
  int nothing;
} none;

#define LARGER(p, a, b) ((void)(p), (a) > (b) ? (a) : (b))
#define SMALLER(p, a, b) ((void)(p), (a) < (b) ? (a) : (b))

AR_BINARY(maximum_int8, int8_t, none, LARGER)
AR_BINARY(maximum_int16, int16_t, none, LARGER)
AR_BINARY(maximum_int32, int32_t, none, LARGER)
AR_BINARY(maximum_int64, int64_t, none, LARGER)
AR_BINARY(maximum_float, float, none, LARGER)
AR_BINARY(minimum_int8, int8_t, none, SMALLER)
AR_BINARY(minimum_int16, int16_t, none, SMALLER)
AR_BINARY(minimum_int32, int32_t, none, SMALLER)
AR_BINARY(minimum_int64, int64_t, none, SMALLER)
AR_BINARY(minimum_float, float, none, SMALLER)

static ar_status maximum(const void *, const void *plan, const ar_tensor *io, uint8_t *) {
  const none nothing = {0};
  switch (io[0].type) {
    case AR_INT8: maximum_int8(plan, &nothing, io); break;
    case AR_INT16: maximum_int16(plan, &nothing, io); break;
    case AR_INT32: maximum_int32(plan, &nothing, io); break;
    case AR_INT64: maximum_int64(plan, &nothing, io); break;
    default: maximum_float(plan, &nothing, io);
  }
  return AR_OK;
}

static ar_status minimum(const void *, const void *plan, const ar_tensor *io, uint8_t *) {
  const none nothing = {0};
  switch (io[0].type) {
    case AR_INT8: minimum_int8(plan, &nothing, io); break;
    case AR_INT16: minimum_int16(plan, &nothing, io); break;
    case AR_INT32: minimum_int32(plan, &nothing, io); break;
    case AR_INT64: minimum_int64(plan, &nothing, io); break;
    default: minimum_float(plan, &nothing, io);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(MAXIMUM, measure, ar_plan_binary, maximum)
AR_PORTABLE_KERNEL(MINIMUM, measure, ar_plan_binary, minimum)
