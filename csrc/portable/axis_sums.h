/* Sums over some axes. */
#ifndef ARENITE_PORTABLE_AXIS_SUMS_H
#define ARENITE_PORTABLE_AXIS_SUMS_H

#include "arithmetic/fixedpoint.h"
#include "records/reduction.h"
#include "strides.h"

/* The input in memory order; neighbouring axes that both go, or both stay, are one axis. An
 * axis that stays moves in the output, one that goes does not. The last axis is a row. */
typedef struct {
  ar_walk output;
  int64_t count; /* elements per sum */
  int32_t multiplier, shift;
} ar_reduction;

static inline ar_status ar_describe_reduction(const ReductionParams *p, const ar_tensor *io,
                                              ar_reduction *plan) {
  const ar_tensor *y = &io[0], *x = &io[1];
  if (p->axis_mask < 0 || p->multiplier < 0 || y->type != x->type) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_INT16, AR_FLOAT32)) return AR_UNSUPPORTED;
  *plan = (ar_reduction){
      .output = {.rank = x->rank}, .count = 1, .multiplier = p->multiplier, .shift = p->shift};
  int64_t step = 1;
  for (int32_t i = x->rank - 1; i >= 0; --i) {
    const int goes = p->axis_mask >> i & 1;
    plan->output.size[i] = x->dims[i];
    plan->output.step[i] = goes ? 0 : step;
    *(goes ? &plan->count : &step) *= x->dims[i];
  }
  if (step != ar_elements(y) || plan->count > INT32_MAX) return AR_UNSUPPORTED;
  ar_simplify(&plan->output);
  return ar_is_rescale(p->shift) ? AR_OK : AR_UNSUPPORTED;
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

/* Sums of integers into the workspace, of floats into the output. */
static inline void ar_sum_up(const ar_reduction *plan, const ar_tensor *io, uint32_t *sums) {
  const size_t bytes = (size_t)ar_elements(&io[0]) * 4;
  memset(io[0].type == AR_FLOAT32 ? io[0].data : sums, 0, bytes);
  if (ar_elements(&io[1]) == 0) return;
  switch (io[0].type) {
    case AR_FLOAT32: add_float(&plan->output, io[1].data, io[0].data); break;
    case AR_INT8: add_int8_t(&plan->output, io[1].data, sums); break;
    default: add_int16_t(&plan->output, io[1].data, sums);
  }
}

/* The sums, without the zero points in them, as the output's integers. */
static inline void ar_requantize_sums(const ReductionParams *p, const ar_reduction *plan,
                                      const uint32_t *sums, const ar_tensor *y) {
  const uint32_t zero = (uint32_t)p->input_zero_point * (uint32_t)plan->count;
  const int64_t n = ar_elements(y);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t scaled = ar_rescale((int32_t)(sums[i] - zero), plan->multiplier, plan->shift);
    const int32_t value = ar_clamp((int32_t)((uint32_t)scaled + (uint32_t)p->output_zero_point),
                                   p->output_min, p->output_max);
    if (y->type == AR_INT8) ((int8_t *)y->data)[i] = (int8_t)value;
    else ((int16_t *)y->data)[i] = (int16_t)value;
  }
}

#endif
