/* MNN_BINARY_INT8: functions of two int8 as real numbers, with broadcasting. */
#include "broadcast.h"
#include "mnn.h"
#include "records/mnn_binary_int8.h"

/* By the numbers that the parameters have for them. */
#define AR_MNN_FUNCTIONS(F)                   \
  F(0, add, a + b)                            \
  F(1, sub, a - b)                            \
  F(2, mul, a *b)                             \
  F(3, divide, a / b)                         \
  F(4, squared_difference, (a - b) * (a - b)) \
  F(5, maximum, a > b ? a : b)                \
  F(6, minimum, a < b ? a : b)

enum { FUNCTIONS = 7 };

static inline float real(int8_t q, int32_t zero_point, double scale) {
  return ((float)q - (float)zero_point) * (float)scale;
}

/* What int32 does not hold is its smallest number to the processor. */
static inline int8_t quantized(const MnnBinaryInt8Params *p, float x) {
  const float limit = 2147483648.0f, steps = x * (1.0f / (float)p->output_scale);
  const float held = steps < limit && steps > -limit ? steps : -limit;
  const float moved = (float)ar_mnn_rounded(held) + (float)p->output_zero_point;
  return (int8_t)ar_mnn_clamped(moved, (float)p->activation_min, (float)p->activation_max);
}

#define AR_MNN_FUNCTION(NUMBER, NAME, VALUE)                                    \
  static inline int8_t NAME(const MnnBinaryInt8Params *p, int8_t q, int8_t r) { \
    const float a = real(q, p->zero_point1, p->scale1);                         \
    const float b = real(r, p->zero_point2, p->scale2);                         \
    return quantized(p, VALUE);                                                 \
  }                                                                             \
  AR_BINARY(run_##NAME, int8_t, MnnBinaryInt8Params, NAME)
AR_MNN_FUNCTIONS(AR_MNN_FUNCTION)

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const MnnBinaryInt8Params *p = opaque;
  if (io[0].type != AR_INT8 || p->function < 0 || p->function >= FUNCTIONS) return AR_UNSUPPORTED;
  if (p->activation_min > p->activation_max || p->activation_min < -128 || p->activation_max > 127)
    return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

static ar_status run(const void *opaque, const void *plan, const ar_tensor *io, uint8_t *) {
  const MnnBinaryInt8Params *p = opaque;
  switch (p->function) {
#define AR_MNN_CASE(NUMBER, NAME, VALUE) \
  case NUMBER: run_##NAME(plan, p, io); break;
    AR_MNN_FUNCTIONS(AR_MNN_CASE)
    default: return AR_BAD_ARGUMENT;
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(MNN_BINARY_INT8, measure, ar_plan_binary, run)
