/* FEED: real numbers, or an image's bytes, on their way into a quantised input. No operator of a model,
 * and not QUANTIZE: numbers out of range saturate, however large, and NaN has no value.
 * src/arenite/runtime/io_conversion.py has the definition. */
#include <float.h>

#include "name.h"

/* Further than any quotient from which a zero point leads back into range. */
#define AR_FAR 0x1p22f
/* The largest number below a half: added before a cut, it rounds halves away from zero, where a half
 * itself would take the number below 0.5 to 1. */
#define AR_ALMOST_HALF 0x1.fffffep-2f

static ar_status measure_feed(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const ar_feed *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (ar_elements(x) != ar_elements(y)) return AR_UNSUPPORTED;
  if (x->type == AR_UINT8) return y->type == AR_INT8 ? AR_OK : AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(x->type, AR_FLOAT32, AR_FLOAT64)) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(y->type, AR_INT8, AR_UINT8, AR_INT16)) return AR_UNSUPPORTED;
  const int has_scale = p->scale > 0.0 && p->scale <= FLT_MAX;
  return has_scale && ar_is_small(p->zero_point) ? AR_OK : AR_UNSUPPORTED;
}

/* round(x / scale) + zero_point, halves away from zero; the quotient is rounded to float32. */
static inline int32_t fed(float x, float scale, int32_t zero_point) {
  float scaled = x / scale;
  scaled = scaled > -AR_FAR ? scaled : -AR_FAR; /* NaN too */
  scaled = scaled < AR_FAR ? scaled : AR_FAR;
  return (int32_t)(scaled + copysignf(AR_ALMOST_HALF, scaled)) + zero_point;
}

/* Whether no number is NaN. */
#define AR_FEED(IN, OUT)                                                                          \
  static int feed_##IN##_to_##OUT##_t(const ar_feed p, const IN *restrict x, OUT##_t *restrict y, \
                                      int64_t count, int32_t low, int32_t high) {                 \
    const float scale = (float)p.scale;                                                           \
    int are_numbers = 1;                                                                          \
    for (int64_t i = 0; i < count; ++i) {                                                         \
      const float real = (float)x[i];                                                             \
      are_numbers &= real == real;                                                                \
      y[i] = (OUT##_t)ar_clamp(fed(real, scale, p.zero_point), low, high);                        \
    }                                                                                             \
    return are_numbers;                                                                           \
  }

AR_FEED(float, int8)
AR_FEED(float, uint8)
AR_FEED(float, int16)
AR_FEED(double, int8)
AR_FEED(double, uint8)
AR_FEED(double, int16)

/* An image's bytes 0..255 are all that int8 holds. */
static void feed_bytes(const uint8_t *restrict x, uint8_t *restrict y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] ^ 0x80;
}

#define AR_FEED_TO(IN)                                                                 \
  static int feed_##IN(const ar_feed *p, const ar_tensor *io, int64_t count) {         \
    const void *x = io[1].data;                                                        \
    void *y = io[0].data;                                                              \
    switch (io[0].type) {                                                              \
      case AR_INT8: return feed_##IN##_to_int8_t(*p, x, y, count, INT8_MIN, INT8_MAX); \
      case AR_UINT8: return feed_##IN##_to_uint8_t(*p, x, y, count, 0, UINT8_MAX);     \
      default: return feed_##IN##_to_int16_t(*p, x, y, count, INT16_MIN, INT16_MAX);   \
    }                                                                                  \
  }

AR_FEED_TO(float)
AR_FEED_TO(double)

/* AR_UNSUPPORTED where a number is NaN. */
static ar_status run_feed(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const int64_t count = ar_elements(&io[0]);
  int are_numbers = 1;
  switch (io[1].type) {
    case AR_FLOAT32: are_numbers = feed_float(params, io, count); break;
    case AR_FLOAT64: are_numbers = feed_double(params, io, count); break;
    default: feed_bytes(io[1].data, io[0].data, count);
  }
  return are_numbers ? AR_OK : AR_UNSUPPORTED;
}

AR_PORTABLE_KERNEL(FEED, measure_feed, ar_plan_nothing, run_feed)
