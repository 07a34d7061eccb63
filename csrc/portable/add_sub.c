/* ADD and SUB of tensors that broadcast: int8, int16, int32, float32. */
#include "arithmetic/fixedpoint.h"
#include "broadcast.h"
#include "records/add_sub.h"

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const AddSubParams *p = params;
  if (!ar_is_small(p->input1_offset) || !ar_is_small(p->input2_offset)) return AR_UNSUPPORTED;
  if (!ar_is_rescale(p->input1_shift) || !ar_is_rescale(p->input2_shift) ||
      !ar_is_rescale(p->output_shift) || p->left_shift < 0 || p->left_shift > 31)
    return AR_UNSUPPORTED;
  const int once = ar_rounds_once(p->output_shift);
  if (ar_rounds_once(p->input1_shift) != once || ar_rounds_once(p->input2_shift) != once)
    return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT16, AR_INT32, AR_FLOAT32)) return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

static inline int32_t rescaled(const int once, const AddSubParams *p, int32_t a, int32_t b) {
  const uint32_t wide1 = (uint32_t)(a + p->input1_offset) << p->left_shift;
  const uint32_t wide2 = (uint32_t)(b + p->input2_offset) << p->left_shift;
  int32_t scaled1 = ar_scale(once, (int32_t)wide1, p->input1_multiplier, p->input1_shift);
  int32_t scaled2 = ar_scale(once, (int32_t)wide2, p->input2_multiplier, p->input2_shift);
  uint32_t total = p->sign > 0 ? (uint32_t)scaled1 + (uint32_t)scaled2
                               : (uint32_t)scaled1 - (uint32_t)scaled2;
  int32_t scaled = ar_scale(once, (int32_t)total, p->output_multiplier, p->output_shift);
  return ar_clamp_offset(scaled, p->output_offset, (int32_t)p->activation_min,
                         (int32_t)p->activation_max);
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

AR_PORTABLE_KERNEL(ADD, measure, ar_plan_binary, run)
AR_PORTABLE_KERNEL(SUB, measure, ar_plan_binary, run)
