/* PRELU with factors that broadcast: int8 and int16 with int8 factors, float32. */
#include "arithmetic/fixedpoint.h"
#include "broadcast.h"
#include "records/prelu.h"

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const PreluParams *p = opaque;
  const int32_t type = io[1].type, alpha = io[2].type;
  if (io[0].type != type || !AR_IS_ONE_OF(type, AR_INT8, AR_INT16, AR_FLOAT32))
    return AR_UNSUPPORTED;
  if (alpha != (type == AR_FLOAT32 ? AR_FLOAT32 : AR_INT8)) return AR_UNSUPPORTED;
  if (!ar_is_small(p->input_offset) || !ar_is_small(p->alpha_offset)) return AR_UNSUPPORTED;
  if (!ar_is_rescale(p->shift_identity) || !ar_is_rescale(p->shift_alpha)) return AR_UNSUPPORTED;
  ar_broadcast unused;
  sizes->plan = sizeof(ar_broadcast);
  return ar_broadcast_of(&io[0], &io[1], &io[2], &unused);
}

static inline int32_t quantized(const PreluParams *p, int32_t x, int32_t alpha) {
  const int32_t value = x + p->input_offset;
  const uint32_t product = (uint32_t)value * (uint32_t)(alpha + p->alpha_offset);
  const int32_t identity = ar_rescale(value, p->multiplier_identity, p->shift_identity);
  const int32_t leak = ar_rescale((int32_t)product, p->multiplier_alpha, p->shift_alpha);
  return ar_clamp_offset(value >= 0 ? identity : leak, p->output_offset, p->low, p->high);
}

static inline float on_float(const PreluParams *, float x, float alpha) {
  return x >= 0.0f ? x : x * alpha;
}

AR_BINARY(run_int8, int8_t, PreluParams, quantized)
AR_MIXED_BINARY(run_int16, int16_t, int16_t, int8_t, PreluParams, quantized)
AR_BINARY(run_float, float, PreluParams, on_float)

static ar_status run(const void *params, const void *plan, const ar_tensor *io, uint8_t *) {
  switch (io[0].type) {
    case AR_INT8: run_int8(plan, params, io); break;
    case AR_INT16: run_int16(plan, params, io); break;
    default: run_float(plan, params, io);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(PRELU, measure, ar_plan_binary, run)
