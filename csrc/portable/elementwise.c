/* Functions of every element by itself: floats, and LOGICAL_NOT. */
#include "maps.h"

static ar_status measure(int32_t type, const ar_tensor *io) {
  return io[0].type == type && ar_alike(&io[0], &io[1]) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status measure_float(const void *, const ar_tensor *io, ar_sizes *) {
  return measure(AR_FLOAT32, io);
}

static inline float next_above(float x) {
#ifdef __SSE4_1__
  return __builtin_ceilf(x);
#else
  const float near = ar_round(x);
  return near < x ? near + 1.0f : near;
#endif
}

static inline float next_below(float x) {
#ifdef __SSE4_1__
  return __builtin_floorf(x);
#else
  const float near = ar_round(x);
  return near > x ? near - 1.0f : near;
#endif
}

static inline float square(float x) { return x * x; }
static inline float negated(float x) { return -x; }

static inline float sine(float x) { return ar_sine_of_small(x, 0); }
static inline float cosine(float x) { return ar_sine_of_small(x, 1); }
static inline float any_sine(float x) { return ar_sine(x, 0); }
static inline float any_cosine(float x) { return ar_sine(x, 1); }

#define ARE_SMALL_ANGLES(x, n) ar_are_magnitudes_under(x, n, AR_SMALL_ANGLE)
#define ARE_SMALL_EXPONENTS(x, n) ar_are_magnitudes_under(x, n, AR_SMALL_EXPONENT)

AR_DEFINE_MAP(map_ceil, next_above)
AR_DEFINE_MAP_BY_BLOCKS(map_cos, ARE_SMALL_ANGLES, cosine, any_cosine)
AR_DEFINE_MAP_BY_BLOCKS(map_exp, ARE_SMALL_EXPONENTS, ar_exp_of_small, ar_exp)
AR_DEFINE_MAP(map_floor, next_below)
AR_DEFINE_MAP_BY_BLOCKS(map_log, ar_are_normal, ar_log_of_normal, ar_log)
AR_DEFINE_MAP(map_neg, negated)
AR_DEFINE_MAP(map_round, ar_round)
AR_DEFINE_MAP_BY_BLOCKS(map_sin, ARE_SMALL_ANGLES, sine, any_sine)
AR_DEFINE_MAP(map_sqrt, sqrtf)
AR_DEFINE_MAP(map_square, square)

#define AR_DEFINE_RUN(name)                                                                 \
  static ar_status run_##name(const void *, const void *, const ar_tensor *io, uint8_t *) { \
    map_##name(io[1].data, io[0].data, ar_elements(&io[0]));                                \
    return AR_OK;                                                                           \
  }

AR_DEFINE_RUN(ceil)
AR_DEFINE_RUN(cos)
AR_DEFINE_RUN(exp)
AR_DEFINE_RUN(floor)
AR_DEFINE_RUN(log)
AR_DEFINE_RUN(neg)
AR_DEFINE_RUN(round)
AR_DEFINE_RUN(sin)
AR_DEFINE_RUN(sqrt)
AR_DEFINE_RUN(square)

AR_PORTABLE_KERNEL(CEIL, measure_float, ar_plan_nothing, run_ceil)
AR_PORTABLE_KERNEL(COS, measure_float, ar_plan_nothing, run_cos)
AR_PORTABLE_KERNEL(EXP, measure_float, ar_plan_nothing, run_exp)
AR_PORTABLE_KERNEL(FLOOR, measure_float, ar_plan_nothing, run_floor)
AR_PORTABLE_KERNEL(LOG, measure_float, ar_plan_nothing, run_log)
AR_PORTABLE_KERNEL(NEG, measure_float, ar_plan_nothing, run_neg)
AR_PORTABLE_KERNEL(ROUND, measure_float, ar_plan_nothing, run_round)
AR_PORTABLE_KERNEL(SIN, measure_float, ar_plan_nothing, run_sin)
AR_PORTABLE_KERNEL(SQRT, measure_float, ar_plan_nothing, run_sqrt)
AR_PORTABLE_KERNEL(SQUARE, measure_float, ar_plan_nothing, run_square)

/* -- LOGICAL_NOT: any byte may stand for a bool, what is not 0 is true */

static ar_status measure_not(const void *, const ar_tensor *io, ar_sizes *) {
  return measure(AR_BOOL, io);
}

static void invert(const uint8_t *restrict x, uint8_t *restrict y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] == 0;
}

static ar_status run_not(const void *, const void *, const ar_tensor *io, uint8_t *) {
  invert(io[1].data, io[0].data, ar_elements(&io[0]));
  return AR_OK;
}

AR_PORTABLE_KERNEL(LOGICAL_NOT, measure_not, ar_plan_nothing, run_not)
