/* ABS and RSQRT: int8 through the parameters' tables, int16, float32. */
#include "arithmetic/fixedpoint.h"
#include "activation.h"
#include "maps.h"
#include "records/abs.h"
#include "records/rsqrt.h"

/* -- ABS */

static ar_status measure_abs(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const AbsParams *p = opaque;
  /* Only int8 has zero points, and a table. */
  const int sound = ar_is_rescale(p->shift) && (io[0].type == AR_INT8 || p->input_offset == 0);
  return sound && ar_is_activation(io, p->table) ? AR_OK : AR_UNSUPPORTED;
}

static void abs_float(const AbsParams, const float *restrict x, float *restrict y, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = ar_float_of_bits(ar_bits_of_float(x[i]) & UINT32_C(0x7FFFFFFF));
}

static void abs_int16(const AbsParams p, const int16_t *restrict x, int16_t *restrict y,
                      int64_t count) {
  if (!p.rescales) {
    const int32_t high = p.is_quantized ? INT16_MAX : -INT16_MIN; /* which wraps */
    for (int64_t i = 0; i < count; ++i) {
      const int32_t value = x[i] < 0 ? -x[i] : x[i];
      y[i] = (int16_t)(value > high ? high : value);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int32_t scaled = ar_rescale(x[i] < 0 ? -x[i] : x[i], p.multiplier, p.shift);
    y[i] = (int16_t)ar_clamp(scaled, INT16_MIN, INT16_MAX);
  }
}

AR_RUN_ACTIVATION(run_abs, AbsParams, abs_int16, abs_float)

/* -- RSQRT */

static ar_status measure_rsqrt(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const RsqrtParams *p = opaque;
  if (io[0].type == AR_INT16 && p->table_int16.count < INT16_MAX + 1) return AR_UNSUPPORTED;
  return ar_is_activation(io, p->table) ? AR_OK : AR_UNSUPPORTED;
}

#define AR_LEAST(T)                                                          \
  static int32_t least_##T(const T *x, int64_t count) {                      \
    T least = INT8_MAX;                                                      \
    for (int64_t i = 0; i < count; ++i) least = x[i] < least ? x[i] : least; \
    return least;                                                            \
  }

AR_LEAST(int8_t)
AR_LEAST(int16_t)

/* The numbers were looked at before; but memory may be shared, so they are looked at again. */
static void rsqrt_int16(const int16_t *restrict table, const int16_t *restrict x,
                        int16_t *restrict y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int16_t index = x[i];
    y[i] = table[index < 0 ? 0 : index];
  }
}

static inline float inverse_root(float x) { return 1.0f / sqrtf(x); }

AR_DEFINE_MAP_BY_BLOCKS(rsqrt_float, ar_are_normal, ar_inverse_root_of_normal, inverse_root)

static ar_status run_rsqrt(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const RsqrtParams *p = opaque;
  const void *x = io[1].data;
  void *y = io[0].data;
  const int64_t count = ar_elements(&io[0]);
  switch (io[0].type) {
    case AR_INT8:
      if (least_int8_t(x, count) < p->lowest) return AR_UNSUPPORTED;
      ar_lookup(p->table.data, x, y, count);
      break;
    case AR_INT16:
      if (least_int16_t(x, count) < p->lowest) return AR_UNSUPPORTED;
      rsqrt_int16(p->table_int16.data, x, y, count);
      break;
    default: rsqrt_float(x, y, count);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(ABS, measure_abs, ar_plan_nothing, run_abs)
AR_PORTABLE_KERNEL(RSQRT, measure_rsqrt, ar_plan_nothing, run_rsqrt)
