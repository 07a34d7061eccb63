/* SQUARED_DIFFERENCE of tensors that broadcast: int8, int16, int32, float32. */
#include "common_scale.h"

static inline int32_t rescaled(const int once, const AddSubParams *p, int32_t a, int32_t b) {
  const uint32_t difference = (uint32_t)ar_first_on_common_scale(once, p, a) -
                              (uint32_t)ar_second_on_common_scale(once, p, b);
  return ar_to_output(once, p, difference * difference);
}

static inline int32_t on_int32(const AddSubParams *, int32_t a, int32_t b) {
  const uint32_t difference = (uint32_t)a - (uint32_t)b;
  return (int32_t)(difference * difference);
}

static inline float on_float(const AddSubParams *, float a, float b) { return (a - b) * (a - b); }

AR_ARITHMETIC(AddSubParams)

AR_PORTABLE_KERNEL(SQUARED_DIFFERENCE, ar_measure_on_common_scale, ar_plan_binary, run)
