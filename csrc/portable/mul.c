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
  const int32_t scaled =
      ar_scale(once, (int32_t)product, p->output_multiplier, p->output_shift);
  return ar_clamp_offset(scaled, p->output_offset, (int32_t)p->activation_min,
                         (int32_t)p->activation_max);
}

static inline int32_t quantized(const MulDivParams *p, int32_t a, int32_t b) {
  return rescaled(0, p, a, b);
}

static inline int32_t quantized_once(const MulDivParams *p, int32_t a, int32_t b) {
  return rescaled(1, p, a, b);
}

static inline int32_t on_int32(const MulDivParams *p, int32_t a, int32_t b) {
  return ar_clamp((int32_t)((uint32_t)a * (uint32_t)b), (int32_t)p->activation_min,
                  (int32_t)p->activation_max);
}

static inline float on_float(const MulDivParams *p, float a, float b) {
  return ar_clamp_float(a * b, (float)p->activation_min, (float)p->activation_max);
}

AR_BINARY(run_int8, int8_t, MulDivParams, quantized)
AR_BINARY(run_int16, int16_t, MulDivParams, quantized)
AR_BINARY(run_int8_once, int8_t, MulDivParams, quantized_once)
AR_BINARY(run_int16_once, int16_t, MulDivParams, quantized_once)
AR_BINARY(run_int32, int32_t, MulDivParams, on_int32)
AR_BINARY(run_float, float, MulDivParams, on_float)

static ar_status run(const void *params, const void *plan, const ar_tensor *io,
                     uint8_t *workspace) {
  (void)workspace;
  const int once = ar_rounds_once(((const MulDivParams *)params)->output_shift);
  switch (io[0].type) {
    case AR_INT8: (once ? run_int8_once : run_int8)(plan, params, io); break;
    case AR_INT16: (once ? run_int16_once : run_int16)(plan, params, io); break;
    case AR_INT32: run_int32(plan, params, io); break;
    default: run_float(plan, params, io);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(MUL, measure, ar_plan_binary, run)
