/* MUL of tensors that broadcast: int8, int16, int32, float32. */
#include "arithmetic/fixedpoint.h"
#include "broadcast.h"
#include "records/mul_div.h"

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const MulDivParams *p = params;
  if (!ar_is_small(p->input1_offset) || !ar_is_small(p->input2_offset)) return AR_UNSUPPORTED;
  if (!ar_is_rescale(p->output_shift)) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT16, AR_INT32, AR_FLOAT32)) return AR_UNSUPPORTED;
  return ar_measure_binary(io, sizes);
}

static inline int32_t rescaled(const int once, const MulDivParams *p, int32_t a, int32_t b) {
  const uint32_t product = (uint32_t)(a + p->input1_offset) * (uint32_t)(b + p->input2_offset);
  const int32_t scaled = ar_scale(once, (int32_t)product, p->output_multiplier, p->output_shift);
  return ar_clamp_offset(scaled, p->output_offset, (int32_t)p->activation_min,
                         (int32_t)p->activation_max);
}

static inline int32_t on_int32(const MulDivParams *p, int32_t a, int32_t b) {
  return ar_clamp((int32_t)((uint32_t)a * (uint32_t)b), (int32_t)p->activation_min,
                  (int32_t)p->activation_max);
}

static inline float on_float(const MulDivParams *p, float a, float b) {
  return ar_clamp_float(a * b, (float)p->activation_min, (float)p->activation_max);
}

AR_ARITHMETIC(MulDivParams)

AR_PORTABLE_KERNEL(MUL, measure, ar_plan_binary, run)
