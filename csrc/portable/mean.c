/* MEAN over some axes: int8 and int16 as requantised sums, float32. */
#include "arithmetic/fixedpoint.h"
#include "strides.h"
#include "records/mean.h"

/* The input in memory order; neighbouring axes that both go, or both stay, are one axis. An
 * axis that stays moves in the output, one that goes does not. The last axis is a row. */
typedef struct {
  ar_walk output;
  int64_t count; /* elements per mean */
  int32_t multiplier, shift;
} mean_plan;

static ar_status describe(const MeanParams *p, const ar_tensor *io, mean_plan *plan) {
  const ar_tensor *y = &io[0], *x = &io[1];
  if (p->axis_mask < 0 || p->multiplier < 0 || y->type != x->type) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_INT16, AR_FLOAT32)) return AR_UNSUPPORTED;
  *plan = (mean_plan){.output = {.rank = x->rank}, .count = 1};
  int64_t step = 1;
  for (int32_t i = x->rank - 1; i >= 0; --i) {
    const int goes = p->axis_mask >> i & 1;
    plan->output.size[i] = x->dims[i];
    plan->output.step[i] = goes ? 0 : step;
    *(goes ? &plan->count : &step) *= x->dims[i];
  }
  if (step != ar_elements(y) || plan->count < 1 || plan->count > INT32_MAX) return AR_UNSUPPORTED;
  ar_simplify(&plan->output);
  /* The multiplier takes up 1 / count with as many bits as the shift has room for. */
  int32_t spare = 31 - ar_leading_zeros((uint32_t)plan->count);
  const int32_t room = 31 + ar_bare_shift(p->shift);
  if (spare > room) spare = room;
  if (!ar_is_rescale(p->shift) || spare < 0) return AR_UNSUPPORTED;
  plan->multiplier = (int32_t)((int64_t)p->multiplier * (INT64_C(1) << spare) / plan->count);
  plan->shift = p->shift - spare;
  return AR_OK;
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  mean_plan unused;
  sizes->plan = sizeof(mean_plan);
  sizes->workspace = ar_elements(&io[0]) * 4;
  return describe(params, io, &unused);
}

static ar_status plan(const void *params, const ar_tensor *io, void *memory) {
  return describe(params, io, memory);
}

/* Adds rows to a row of sums, or all of a row to one sum. Sums wrap at 32 bits. */
#define AR_ADD_ROWS(T, SUM)                                                            \
  static void add_##T(const ar_walk *walk, const T *restrict x, SUM *restrict sums) {  \
    const int64_t n = walk->size[walk->rank - 1];                                      \
    int64_t index[AR_WALK_RANK] = {0}, start = 0;                                      \
    do {                                                                               \
      SUM *to = sums + start;                                                          \
      if (walk->step[walk->rank - 1]) {                                                \
        for (int64_t i = 0; i < n; ++i) to[i] += (SUM)x[i];                            \
      } else {                                                                         \
        SUM sum = *to;                                                                 \
        for (int64_t i = 0; i < n; ++i) sum += (SUM)x[i];                              \
        *to = sum;                                                                     \
      }                                                                                \
      x += n;                                                                          \
    } while (ar_next(walk, index, &start));                                            \
  }

AR_ADD_ROWS(int8_t, uint32_t)
AR_ADD_ROWS(int16_t, uint32_t)
AR_ADD_ROWS(float, float)

static inline int32_t scaled(const MeanParams *p, const mean_plan *plan, uint32_t zero,
                             uint32_t sum) {
  const int32_t mean = ar_rescale((int32_t)(sum - zero), plan->multiplier, plan->shift);
  return ar_clamp((int32_t)((uint32_t)mean + (uint32_t)p->output_zero_point), p->output_min,
                  p->output_max);
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const MeanParams *p = opaque;
  const mean_plan *plan = memory;
  const int64_t means = ar_elements(&io[0]);
  const uint32_t zero = (uint32_t)p->input_zero_point * (uint32_t)plan->count;
  uint32_t *sums = (uint32_t *)workspace;
  if (ar_elements(&io[1]) == 0) return AR_OK;
  memset(sums, 0, (size_t)means * 4);
  if (io[0].type == AR_FLOAT32) {
    float *y = io[0].data;
    memset(y, 0, (size_t)means * 4);
    add_float(&plan->output, io[1].data, y);
    for (int64_t i = 0; i < means; ++i) y[i] /= (float)plan->count;
  } else if (io[0].type == AR_INT8) {
    int8_t *y = io[0].data;
    add_int8_t(&plan->output, io[1].data, sums);
    for (int64_t i = 0; i < means; ++i) y[i] = (int8_t)scaled(p, plan, zero, sums[i]);
  } else {
    int16_t *y = io[0].data;
    add_int16_t(&plan->output, io[1].data, sums);
    for (int64_t i = 0; i < means; ++i) y[i] = (int16_t)scaled(p, plan, zero, sums[i]);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(MEAN, measure, plan, run)
