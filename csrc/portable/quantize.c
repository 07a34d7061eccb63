/* QUANTIZE: floats to integers, or one quantisation to another; DEQUANTIZE. */
#include "arithmetic/fixedpoint.h"
#include "lookup.h"
#include "name.h"
#include "records/dequantize.h"
#include "records/quantize.h"

/* -- QUANTIZE */

static int are_bytes(const ar_tensor *io) {
  return ar_element_bytes(io[0].type) == 1 && ar_element_bytes(io[1].type) == 1;
}

static ar_status measure_quantize(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const QuantizeParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (ar_elements(x) != ar_elements(y)) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(y->type, AR_INT8, AR_UINT8, AR_INT16, AR_INT32)) return AR_UNSUPPORTED;
  if (x->type == AR_FLOAT32) return AR_OK;
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_UINT8, AR_INT16, AR_INT32)) return AR_UNSUPPORTED;
  if (!ar_is_rescale(p->shift)) return AR_UNSUPPORTED;
  if (are_bytes(io)) sizes->plan = 256;
  return AR_OK;
}

/* round(x / scale), halves away from zero; INT32_MIN for NaN and for what int32 does not hold. */
static inline int32_t quantized(const QuantizeParams *p, float scale, float x) {
  const float scaled = x / scale;
  const double wide = (double)scaled + (scaled < 0.0f ? -0.5 : 0.5);
  const double held = wide > -2147483648.0 && wide < 2147483648.0 ? wide : -2147483648.0;
  const uint32_t moved = (uint32_t)(int32_t)held + (uint32_t)p->zero_point;
  return ar_clamp((int32_t)moved, p->output_min, p->output_max);
}

static inline int32_t requantized(const QuantizeParams *p, int32_t x) {
  const int32_t real = (int32_t)((uint32_t)x - (uint32_t)p->input_zero_point);
  const int32_t scaled = ar_rescale(real, p->multiplier, p->shift);
  return ar_clamp((int32_t)((uint32_t)scaled + (uint32_t)p->zero_point), p->output_min,
                  p->output_max);
}

/* -- bytes to bytes: a table of all of them */

static ar_status plan_quantize(const void *params, const ar_tensor *io, void *plan) {
  int8_t *table = plan;
  if (!are_bytes(io)) return AR_OK;
  for (int32_t byte = 0; byte < 256; ++byte)
    table[byte] = (int8_t)requantized(params, io[1].type == AR_INT8 ? (int8_t)byte : (uint8_t)byte);
  return AR_OK;
}

#define AR_QUANTIZE(IN, OUT)                                                                      \
  static void from_##IN##_to_##OUT(const QuantizeParams p, const IN *restrict x, OUT *restrict y, \
                                   int64_t count) {                                               \
    for (int64_t i = 0; i < count; ++i) y[i] = (OUT)requantized(&p, x[i]);                        \
  }
#define AR_QUANTIZE_ALL(OUT)                                                       \
  static void from_float_to_##OUT(const QuantizeParams p, const float *restrict x, \
                                  OUT *restrict y, int64_t count) {                \
    const float scale = (float)p.scale;                                            \
    for (int64_t i = 0; i < count; ++i) y[i] = (OUT)quantized(&p, scale, x[i]);    \
  }                                                                                \
  AR_QUANTIZE(int8_t, OUT)                                                         \
  AR_QUANTIZE(uint8_t, OUT)                                                        \
  AR_QUANTIZE(int16_t, OUT)                                                        \
  AR_QUANTIZE(int32_t, OUT)                                                        \
  static void to_##OUT(const QuantizeParams *p, const ar_tensor *io) {             \
    const void *x = io[1].data;                                                    \
    OUT *y = io[0].data;                                                           \
    const int64_t count = ar_elements(&io[0]);                                     \
    switch (io[1].type) {                                                          \
      case AR_FLOAT32: from_float_to_##OUT(*p, x, y, count); break;                \
      case AR_INT8: from_int8_t_to_##OUT(*p, x, y, count); break;                  \
      case AR_UINT8: from_uint8_t_to_##OUT(*p, x, y, count); break;                \
      case AR_INT16: from_int16_t_to_##OUT(*p, x, y, count); break;                \
      default: from_int32_t_to_##OUT(*p, x, y, count);                             \
    }                                                                              \
  }

AR_QUANTIZE_ALL(int8_t)
AR_QUANTIZE_ALL(uint8_t)
AR_QUANTIZE_ALL(int16_t)
AR_QUANTIZE_ALL(int32_t)

static ar_status run_quantize(const void *params, const void *plan, const ar_tensor *io,
                              uint8_t *) {
  if (are_bytes(io)) {
    ar_lookup(plan, io[1].data, io[0].data, ar_elements(&io[0]));
    return AR_OK;
  }
  switch (io[0].type) {
    case AR_INT8: to_int8_t(params, io); break;
    case AR_UINT8: to_uint8_t(params, io); break;
    case AR_INT16: to_int16_t(params, io); break;
    default: to_int32_t(params, io);
  }
  return AR_OK;
}

/* -- DEQUANTIZE */

static ar_status measure_dequantize(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const DequantizeParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (y->type != AR_FLOAT32 || ar_elements(x) != ar_elements(y)) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_UINT8, AR_INT16)) return AR_UNSUPPORTED;
  return ar_is_small(p->zero_point) ? AR_OK : AR_UNSUPPORTED;
}

/* The product is a double, rounded once. */
#define AR_DEQUANTIZE(IN)                                                                        \
  static void dequantize_##IN(const DequantizeParams p, const IN *restrict x, float *restrict y, \
                              int64_t count) {                                                   \
    for (int64_t i = 0; i < count; ++i)                                                          \
      y[i] = (float)(p.scale * (double)((int32_t)x[i] - p.zero_point));                          \
  }

AR_DEQUANTIZE(int8_t)
AR_DEQUANTIZE(uint8_t)
AR_DEQUANTIZE(int16_t)

static ar_status run_dequantize(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const DequantizeParams *p = opaque;
  const int64_t count = ar_elements(&io[0]);
  switch (io[1].type) {
    case AR_INT8: dequantize_int8_t(*p, io[1].data, io[0].data, count); break;
    case AR_UINT8: dequantize_uint8_t(*p, io[1].data, io[0].data, count); break;
    default: dequantize_int16_t(*p, io[1].data, io[0].data, count);
  }
  return AR_OK;
}

AR_FLAT_PORTABLE_KERNEL(QUANTIZE, AR_LOOKUP_WORK, measure_quantize, plan_quantize, run_quantize)
AR_PORTABLE_KERNEL(DEQUANTIZE, measure_dequantize, ar_plan_nothing, run_dequantize)
