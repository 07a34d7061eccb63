/* MAXIMUM and MINIMUM of tensors that broadcast. A comparison with NaN takes input 1. */
#include "broadcast.h"

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *sizes) {
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT16, AR_INT32, AR_INT64, AR_FLOAT32))
    return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

#define AR_EXTREMUM(name, BETTER)                                                         \
  AR_BINARY(name##_int8, int8_t, ar_no_params, BETTER)                                    \
  AR_BINARY(name##_int16, int16_t, ar_no_params, BETTER)                                  \
  AR_BINARY(name##_int32, int32_t, ar_no_params, BETTER)                                  \
  AR_BINARY(name##_int64, int64_t, ar_no_params, BETTER)                                  \
  AR_BINARY(name##_float, float, ar_no_params, BETTER)                                    \
  static ar_status name(const void *, const void *plan, const ar_tensor *io, uint8_t *) { \
    const ar_no_params none = {0};                                                        \
    switch (io[0].type) {                                                                 \
      case AR_INT8: name##_int8(plan, &none, io); break;                                  \
      case AR_INT16: name##_int16(plan, &none, io); break;                                \
      case AR_INT32: name##_int32(plan, &none, io); break;                                \
      case AR_INT64: name##_int64(plan, &none, io); break;                                \
      default: name##_float(plan, &none, io);                                             \
    }                                                                                     \
    return AR_OK;                                                                         \
  }

#define LARGER(p, a, b) ((void)(p), (a) > (b) ? (a) : (b))
#define SMALLER(p, a, b) ((void)(p), (a) < (b) ? (a) : (b))

AR_EXTREMUM(maximum, LARGER)
AR_EXTREMUM(minimum, SMALLER)

AR_PORTABLE_KERNEL(MAXIMUM, measure, ar_plan_binary, maximum)
AR_PORTABLE_KERNEL(MINIMUM, measure, ar_plan_binary, minimum)
