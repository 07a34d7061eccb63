/* CAST: integers wrap, everything but zero is true, floats lose their fraction and saturate. */
#include "name.h"
#include "records/cast.h"

typedef bool boolean; /* bool is a macro, which has no place in a function's name */

static int is_known(int32_t type) {
  return AR_IS_ONE_OF(type, AR_FLOAT32, AR_INT8, AR_INT16, AR_INT32, AR_UINT32, AR_BOOL);
}

static ar_status measure(const void *, const ar_tensor *io, ar_sizes *) {
  if (!is_known(io[0].type) || !is_known(io[1].type)) return AR_UNSUPPORTED;
  return ar_elements(&io[0]) == ar_elements(&io[1]) ? AR_OK : AR_UNSUPPORTED;
}

/* Within the output's range; NaN is 0. */
static inline int64_t saturated(double x, double low, double high) {
  x = x < low ? low : x;
  x = x > high ? high : x;
  return x == x ? (int64_t)x : 0;
}

/* Through a wider integer, whose low bits are C's result for narrower ones. */
#define AR_FROM_INTEGER(IN, OUT)                                                    \
  static void IN##_to_##OUT(const IN *restrict x, OUT *restrict y, int64_t count) { \
    for (int64_t i = 0; i < count; ++i) y[i] = (OUT)x[i];                           \
  }
#define AR_FROM_FLOAT(OUT)                                                                 \
  static void float_to_##OUT(const CastParams p, const float *restrict x, OUT *restrict y, \
                             int64_t count) {                                              \
    const double low = (double)p.output_min, high = (double)p.output_max;                  \
    for (int64_t i = 0; i < count; ++i) y[i] = (OUT)saturated(x[i], low, high);            \
  }
/* Any byte may stand for a bool: what is not 0 is 1. */
#define AR_FROM_BOOLEAN(OUT)                                                                \
  static void boolean_to_##OUT(const uint8_t *restrict x, OUT *restrict y, int64_t count) { \
    for (int64_t i = 0; i < count; ++i) y[i] = (OUT)(x[i] != 0);                            \
  }
#define AR_TO(OUT)                                                                \
  AR_FROM_INTEGER(int8_t, OUT)                                                    \
  AR_FROM_INTEGER(int16_t, OUT)                                                   \
  AR_FROM_INTEGER(int32_t, OUT)                                                   \
  AR_FROM_INTEGER(uint32_t, OUT)                                                  \
  AR_FROM_BOOLEAN(OUT)                                                            \
  static void to_##OUT(const CastParams *p, const ar_tensor *io, int64_t count) { \
    const void *x = io[1].data;                                                   \
    OUT *y = io[0].data;                                                          \
    switch (io[1].type) {                                                         \
      case AR_FLOAT32: AR_FLOAT_TO(OUT); break;                                   \
      case AR_INT8: int8_t_to_##OUT(x, y, count); break;                          \
      case AR_INT16: int16_t_to_##OUT(x, y, count); break;                        \
      case AR_INT32: int32_t_to_##OUT(x, y, count); break;                        \
      case AR_UINT32: uint32_t_to_##OUT(x, y, count); break;                      \
      default: boolean_to_##OUT(x, y, count);                                     \
    }                                                                             \
  }

#define AR_FLOAT_TO(OUT) float_to_##OUT(*p, x, y, count)
AR_FROM_FLOAT(int8_t)
AR_FROM_FLOAT(int16_t)
AR_FROM_FLOAT(int32_t)
AR_FROM_FLOAT(uint32_t)
AR_TO(int8_t)
AR_TO(int16_t)
AR_TO(int32_t)
AR_TO(uint32_t)
#undef AR_FLOAT_TO
#define AR_FLOAT_TO(OUT) (void)p, float_to_##OUT(x, y, count)
AR_FROM_INTEGER(float, float)
AR_FROM_INTEGER(float, boolean)
AR_TO(float)
AR_TO(boolean)

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const int64_t count = ar_elements(&io[0]);
  switch (io[0].type) {
    case AR_FLOAT32: to_float(params, io, count); break;
    case AR_INT8: to_int8_t(params, io, count); break;
    case AR_INT16: to_int16_t(params, io, count); break;
    case AR_INT32: to_int32_t(params, io, count); break;
    case AR_UINT32: to_uint32_t(params, io, count); break;
    default: to_boolean(params, io, count);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(CAST, measure, ar_plan_nothing, run)
