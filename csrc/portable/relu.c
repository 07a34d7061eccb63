/* RELU, RELU6, LEAKY_RELU and HARD_SWISH: int8 mostly through the parameters' tables. */
#include "arithmetic/fixedpoint.h"
#include "activation.h"
#include "records/hard_swish.h"
#include "records/leaky_relu.h"
#include "records/relu.h"
#include "records/relu6.h"

/* -- RELU */

static ar_status measure_relu(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const ReluParams *p = opaque;
  if (!ar_is_small(p->input_offset) || !ar_is_rescale(p->output_shift)) return AR_UNSUPPORTED;
  return ar_is_activation(io, p->table) ? AR_OK : AR_UNSUPPORTED;
}

static void relu_int16(const ReluParams p, const int16_t *restrict x, int16_t *restrict y,
                       int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int32_t scaled = ar_rescale(x[i] - p.input_offset, p.output_multiplier, p.output_shift);
    y[i] = (int16_t)ar_clamp_offset(scaled, p.output_offset, p.activation_min, p.activation_max);
  }
}

static void relu_float(const ReluParams, const float *restrict x, float *restrict y,
                       int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] < 0.0f ? 0.0f : x[i];
}

AR_RUN_ACTIVATION(run_relu, ReluParams, relu_int16, relu_float)

/* -- RELU6 */

#define AR_RELU6(T, x, y)                                            \
  do {                                                               \
    const T zero = (T)p->zero, six = (T)p->six;                      \
    const T *restrict from = (x);                                    \
    T *restrict to = (y);                                            \
    for (int64_t i = 0; i < count; ++i)                              \
      to[i] = from[i] > six ? six : from[i] < zero ? zero : from[i]; \
  } while (0)

static ar_status measure_relu6(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const Relu6Params *p = opaque;
  const double least = io[0].type == AR_INT8 ? -128 : -32768;
  if (io[0].type != AR_FLOAT32 &&
      !(p->zero >= least && p->zero <= -1 - least && p->six >= least && p->six <= -1 - least))
    return AR_UNSUPPORTED;
  const int known = AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT16, AR_FLOAT32);
  return known && ar_alike(&io[0], &io[1]) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_relu6(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const Relu6Params *p = opaque;
  const int64_t count = ar_elements(&io[0]);
  switch (io[0].type) {
    case AR_INT8: AR_RELU6(int8_t, io[1].data, io[0].data); break;
    case AR_INT16: AR_RELU6(int16_t, io[1].data, io[0].data); break;
    default: AR_RELU6(float, io[1].data, io[0].data);
  }
  return AR_OK;
}

/* -- LEAKY_RELU */

/* Each side of zero has its own multiplier; a negative one works on the magnitude. */
static void leaky_relu_int16(const LeakyReluParams p, const int16_t *restrict x,
                             int16_t *restrict y, int64_t count) {
  const int32_t alpha = p.multiplier_alpha < 0 ? -p.multiplier_alpha : p.multiplier_alpha;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t centred = x[i] - p.input_offset;
    const int32_t identity = ar_rescale(centred, p.multiplier_identity, p.shift_identity);
    const int32_t leak = ar_rescale(centred, alpha, p.shift_alpha);
    const int32_t scaled = centred >= 0 ? identity : p.multiplier_alpha < 0 ? -leak : leak;
    y[i] = (int16_t)ar_clamp_offset(scaled, p.output_offset, p.low, p.high);
  }
}

static void leaky_relu_float(const LeakyReluParams p, const float *restrict x, float *restrict y,
                             int64_t count) {
  const float alpha = (float)p.alpha;
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] > 0.0f ? x[i] : x[i] * alpha;
}

static ar_status measure_leaky_relu(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const LeakyReluParams *p = opaque;
  if (!ar_is_small(p->input_offset) || p->multiplier_alpha == INT32_MIN ||
      !ar_is_rescale(p->shift_identity) || !ar_is_rescale(p->shift_alpha))
    return AR_UNSUPPORTED;
  return ar_is_activation(io, p->table) ? AR_OK : AR_UNSUPPORTED;
}

AR_RUN_ACTIVATION(run_leaky_relu, LeakyReluParams, leaky_relu_int16, leaky_relu_float)

/* -- HARD_SWISH */

static void hard_swish_float(const float *restrict x, float *restrict y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    float slope = x[i] + 3.0f;
    slope = slope < 0.0f ? 0.0f : slope;
    slope = slope > 6.0f ? 6.0f : slope;
    y[i] = x[i] * slope / 6.0f;
  }
}

static ar_status measure_hard_swish(const void *params, const ar_tensor *io, ar_sizes *) {
  const HardSwishParams *p = params;
  const int known = io[0].type != AR_INT16 && ar_is_activation(io, p->table);
  return known ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run_hard_swish(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const HardSwishParams *p = opaque;
  const int64_t count = ar_elements(&io[0]);
  if (io[0].type == AR_INT8) ar_lookup(p->table.data, io[1].data, io[0].data, count);
  else hard_swish_float(io[1].data, io[0].data, count);
  return AR_OK;
}

AR_FLAT_PORTABLE_KERNEL(RELU, AR_LOOKUP_WORK, measure_relu, ar_plan_nothing, run_relu)
AR_FLAT_PORTABLE_KERNEL(RELU6, AR_LOOKUP_WORK, measure_relu6, ar_plan_nothing, run_relu6)
AR_FLAT_PORTABLE_KERNEL(LEAKY_RELU, AR_LOOKUP_WORK, measure_leaky_relu, ar_plan_nothing,
                        run_leaky_relu)
AR_FLAT_PORTABLE_KERNEL(HARD_SWISH, AR_LOOKUP_WORK, measure_hard_swish, ar_plan_nothing,
                        run_hard_swish)
