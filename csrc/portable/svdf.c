/* SVDF: int8 with an int8 or int16 state, and float32. Weights are constants. */
#include <string.h>

#include "arithmetic/fixedpoint.h"
#include "float_math.h"
#include "product.h"
#include "records/svdf.h"

enum { INPUT = 1, FEATURE, TIME, BIAS, STATE };
enum { NONE = 0, RELU = 1, RELU_N1_TO_1 = 2, RELU6 = 3, TANH = 4, SIGN_BIT = 5 };

typedef struct {
  int64_t inputs, filters, memory, units;
  int64_t matrix, time_sums;   /* byte offsets in the plan */
  int64_t x, newest, filtered; /* byte offsets in the workspace */
} svdf_plan;

/* Whether all tensors have the sizes that the parameters say, and the state can be written. */
static int sizes_fit(const SvdfParams *p, const ar_tensor *io) {
  if (p->rank < 1 || p->memory < 1 || p->filters < 1 || p->filters % p->rank) return 0;
  if (io[INPUT].rank < 1 || io[STATE].data) return 0;
  const int64_t inputs = io[INPUT].dims[io[INPUT].rank - 1];
  const int64_t state = ar_times(p->filters, p->memory);
  return ar_elements(&io[INPUT]) == ar_times(p->batches, inputs) &&
         ar_elements(&io[FEATURE]) == ar_times(p->filters, inputs) &&
         ar_elements(&io[TIME]) == state && ar_elements(&io[BIAS]) >= p->filters / p->rank &&
         ar_elements(&io[STATE]) == ar_times(p->batches, state) &&
         ar_elements(&io[0]) == ar_times(p->batches, p->filters / p->rank) &&
         ar_is_rescale(p->feature_shift) && ar_is_rescale(p->time_shift);
}

static ar_status describe(const SvdfParams *p, const ar_tensor *io, svdf_plan *plan) {
  const int32_t type = io[INPUT].type, state = io[STATE].type;
  const int is_float = type == AR_FLOAT32;
  if (!is_float && (type != AR_INT8 || !AR_IS_ONE_OF(state, AR_INT8, AR_INT16)))
    return AR_UNSUPPORTED;
  if (io[FEATURE].type != type || io[TIME].type != state || io[0].type != type)
    return AR_UNSUPPORTED;
  if (is_float && (state != type || io[BIAS].type != type)) return AR_UNSUPPORTED;
  if (!is_float && io[BIAS].type != AR_INT32) return AR_UNSUPPORTED;
  if (!io[FEATURE].data || !io[TIME].data || !sizes_fit(p, io)) return AR_UNSUPPORTED;
  if (!ar_is_small(p->input_zero_point) || !ar_is_small(p->state_zero_point) ||
      !ar_is_small(p->output_zero_point))
    return AR_UNSUPPORTED;
  *plan = (svdf_plan){
      .inputs = io[INPUT].dims[io[INPUT].rank - 1],
      .filters = p->filters,
      .memory = p->memory,
      .units = p->filters / p->rank,
  };
  const int64_t padded = ar_padded_columns(plan->filters);
  plan->matrix = ar_align64(sizeof *plan);
  plan->time_sums = plan->matrix + AR_NAME(packed_bytes)(type, plan->inputs, plan->filters);
  plan->newest = plan->x + ar_align64(plan->inputs * 4);
  plan->filtered = plan->newest + padded * 4;
  return AR_OK;
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  svdf_plan plan;
  const ar_status status = describe(params, io, &plan);
  if (status != AR_OK) return status;
  sizes->plan = plan.time_sums + plan.filters * 4;
  sizes->workspace = plan.filtered + plan.filters * 4;
  return AR_OK;
}

static ar_status make_plan(const void *opaque, const ar_tensor *io, void *memory) {
  const SvdfParams *p = opaque;
  svdf_plan *plan = memory;
  const ar_status status = describe(p, io, plan);
  if (status != AR_OK) return status;
  const ar_matrix_source source = {.data = io[FEATURE].data,
                                   .type = io[FEATURE].type,
                                   .column_step = plan->inputs,
                                   .depth_step = 1};
  AR_NAME(pack_matrix)(&source, plan->inputs, plan->filters, (uint8_t *)memory + plan->matrix);
  /* What the state's zero point adds to the sum over time, by filter. */
  uint32_t *sums = (uint32_t *)((uint8_t *)memory + plan->time_sums);
  for (int64_t f = 0; f < plan->filters; ++f) {
    uint32_t sum = 0;
    for (int64_t m = 0; m < plan->memory; ++m) {
      const int64_t i = f * plan->memory + m;
      if (io[TIME].type == AR_INT8) sum += (uint32_t)((const int8_t *)io[TIME].data)[i];
      else if (io[TIME].type == AR_INT16) sum += (uint32_t)((const int16_t *)io[TIME].data)[i];
    }
    sums[f] = sum * (uint32_t)-p->state_zero_point;
  }
  return AR_OK;
}

/* -- integers */

#define AR_FILTER(name, T)                                                                 \
  static inline __attribute__((always_inline)) void name##_memory(                         \
      const int64_t memory, const T *restrict state, const T *restrict time,               \
      const uint32_t *restrict start, int64_t filters, uint32_t *restrict sums) {          \
    for (int64_t f = 0; f < filters; ++f, state += memory, time += memory) {               \
      uint32_t sum = start[f];                                                             \
      for (int64_t m = 0; m < memory; ++m) sum += (uint32_t)((int32_t)state[m] * time[m]); \
      sums[f] = sum;                                                                       \
    }                                                                                      \
  }                                                                                        \
  static void name(int64_t memory, const T *state, const T *time, const uint32_t *start,   \
                   int64_t filters, uint32_t *sums) {                                      \
    switch (memory) {                                                                      \
      case 8: name##_memory(8, state, time, start, filters, sums); break;                  \
      case 16: name##_memory(16, state, time, start, filters, sums); break;                \
      case 32: name##_memory(32, state, time, start, filters, sums); break;                \
      default: name##_memory(memory, state, time, start, filters, sums);                   \
    }                                                                                      \
  }

AR_FILTER(filter_int8, int8_t)
AR_FILTER(filter_int16, int16_t)

/* Puts the newest values behind the others, which move up. */
#define AR_REMEMBER(name, T)                                                           \
  static void name(const SvdfParams *p, const svdf_plan *plan, const int32_t *newest,  \
                   T *restrict state) {                                                \
    memmove(state, state + 1, (size_t)(plan->filters * plan->memory - 1) * sizeof(T)); \
    for (int64_t f = 0; f < plan->filters; ++f)                                        \
      state[(f + 1) * plan->memory - 1] = (T)(newest[f] + p->state_zero_point);        \
  }

AR_REMEMBER(remember_int8, int8_t)
AR_REMEMBER(remember_int16, int16_t)

static void step_integer(const SvdfParams *p, const svdf_plan *plan, const void *memory,
                         const ar_tensor *io, int64_t batch, uint8_t *workspace) {
  const int8_t *x = (const int8_t *)io[INPUT].data + batch * plan->inputs;
  const int64_t state_size = plan->filters * plan->memory;
  int32_t *wide = (int32_t *)(workspace + plan->x);
  int32_t *restrict newest = (int32_t *)(workspace + plan->newest);
  uint32_t *filtered = (uint32_t *)(workspace + plan->filtered);
  const uint32_t *start = (const uint32_t *)((const uint8_t *)memory + plan->time_sums);
  AR_NAME(widen)(x, AR_INT8, -p->input_zero_point, plan->inputs, wide);
  AR_NAME(product_int32)(wide, 1, plan->inputs, (const int8_t *)memory + plan->matrix,
                         plan->filters, newest);
  const int32_t low = p->state_min, high = p->state_max;
  const int32_t multiplier = p->feature_multiplier, shift = p->feature_shift;
  const uint32_t bias = (uint32_t)p->filter_bias;
  for (int64_t f = 0; f < plan->filters; ++f)
    newest[f] =
        ar_clamp(ar_rescale((int32_t)((uint32_t)newest[f] + bias), multiplier, shift), low, high);
  if (io[STATE].type == AR_INT8) {
    int8_t *state = (int8_t *)io[STATE].data + batch * state_size;
    remember_int8(p, plan, newest, state);
    filter_int8(plan->memory, state, io[TIME].data, start, plan->filters, filtered);
  } else {
    int16_t *state = (int16_t *)io[STATE].data + batch * state_size;
    remember_int16(p, plan, newest, state);
    filter_int16(plan->memory, state, io[TIME].data, start, plan->filters, filtered);
  }
}

/* A unit's output from its filters' sums. */
static void finish_integer(const SvdfParams p, const svdf_plan *plan,
                           const uint32_t *restrict filtered, const uint32_t *restrict bias,
                           int8_t *restrict y) {
  for (int64_t u = 0; u < plan->units; ++u) {
    uint32_t sum = bias[u];
    for (int32_t r = 0; r < p.rank; ++r) sum += filtered[u * p.rank + r];
    const int32_t scaled = ar_rescale((int32_t)sum, p.time_multiplier, p.time_shift);
    const uint32_t moved = (uint32_t)scaled + (uint32_t)p.output_zero_point;
    y[u] = (int8_t)ar_clamp((int32_t)moved, -128, 127);
  }
}

/* -- floats: sums in TFLM's order, since a sum near zero shows every rounding */

static float activate(int32_t activation, float x) {
  switch (activation) {
    case RELU: return x > 0.0f ? x : 0.0f;
    case RELU_N1_TO_1: x = x < 1.0f ? x : 1.0f; return x > -1.0f ? x : -1.0f;
    case RELU6: x = x < 6.0f ? x : 6.0f; return x > 0.0f ? x : 0.0f;
    case TANH: return ar_tanh(x);
    case SIGN_BIT: return (float)(ar_bits_of_float(x) >> 31);
    default: return x;
  }
}

static void step_float(const SvdfParams *p, const svdf_plan *plan, const void *memory,
                       const ar_tensor *io, int64_t batch, uint8_t *workspace) {
  const int64_t state_size = plan->filters * plan->memory;
  const float *x = (const float *)io[INPUT].data + batch * plan->inputs;
  const float *time = io[TIME].data, *bias = io[BIAS].data;
  float *state = (float *)io[STATE].data + batch * state_size;
  float *y = (float *)io[0].data + batch * plan->units;
  float *newest = (float *)(workspace + plan->newest);
  float *filtered = (float *)(workspace + plan->filtered);
  AR_NAME(product_float)(x, 1, plan->inputs,
                         (const float *)((const uint8_t *)memory + plan->matrix), plan->filters,
                         newest);
  memmove(state, state + 1, (size_t)(state_size - 1) * sizeof(float));
  for (int64_t f = 0; f < plan->filters; ++f) {
    state[(f + 1) * plan->memory - 1] = newest[f];
    float sum = 0.0f;
    for (int64_t m = 0; m < plan->memory; ++m)
      sum += state[f * plan->memory + m] * time[f * plan->memory + m];
    filtered[f] = sum;
  }
  for (int64_t u = 0; u < plan->units; ++u) {
    float sum = bias[u];
    for (int32_t r = 0; r < p->rank; ++r) sum += filtered[u * p->rank + r];
    y[u] = activate(p->activation, sum);
  }
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const SvdfParams *p = opaque;
  const svdf_plan *plan = memory;
  for (int64_t batch = 0; batch < p->batches; ++batch) {
    if (io[INPUT].type == AR_FLOAT32) {
      step_float(p, plan, memory, io, batch, workspace);
      continue;
    }
    step_integer(p, plan, memory, io, batch, workspace);
    finish_integer(*p, plan, (const uint32_t *)(workspace + plan->filtered), io[BIAS].data,
                   (int8_t *)io[0].data + batch * plan->units);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SVDF, measure, make_plan, run)
