/* ADD and SUB of tensors that broadcast: int8, int16, int32, float32. */
#include "common_scale.h"

static inline int32_t rescaled(const int once, const AddSubParams *p, int32_t a, int32_t b) {
  const uint32_t scaled1 = (uint32_t)ar_first_on_common_scale(once, p, a);
  const uint32_t scaled2 = (uint32_t)ar_second_on_common_scale(once, p, b);
  return ar_to_output(once, p, p->sign > 0 ? scaled1 + scaled2 : scaled1 - scaled2);
}

static inline int32_t on_int32(const AddSubParams *p, int32_t a, int32_t b) {
  const uint32_t total = p->sign > 0 ? (uint32_t)a + (uint32_t)b : (uint32_t)a - (uint32_t)b;
  return ar_clamp((int32_t)total, (int32_t)p->activation_min, (int32_t)p->activation_max);
}

static inline float on_float(const AddSubParams *p, float a, float b) {
  const float total = p->sign > 0 ? a + b : a - b;
  return ar_clamp_float(total, (float)p->activation_min, (float)p->activation_max);
}

AR_ARITHMETIC(AddSubParams)

AR_PORTABLE_KERNEL(ADD, ar_measure_on_common_scale, ar_plan_binary, run)
AR_PORTABLE_KERNEL(SUB, ar_measure_on_common_scale, ar_plan_binary, run)
