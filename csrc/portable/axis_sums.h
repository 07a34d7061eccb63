/* Sums over some axes. */
#pragma once

#include "axes.h"

/* The same of what can be added up. */
static inline ar_status ar_describe_sums(const ReductionParams *p, const ar_tensor *io,
                                         ar_reduction *plan) {
  const int known = AR_IS_ONE_OF(io[1].type, AR_INT8, AR_INT16, AR_FLOAT32);
  return known ? ar_describe_reduction(p, io, plan) : AR_UNSUPPORTED;
}

#define AR_NO_SUM(sum) 0

/* Adds rows to a row of sums, or all of a row to one sum. Sums wrap at 32 bits. */
#define AR_ADD_ROWS(T, SUM)                                                    \
  static inline SUM plus_##T(SUM x, SUM sum) { return x + sum; }               \
  AR_FOLD(fold_##T, T, SUM, AR_NO_SUM, plus_##T)                               \
  static void add_##T(ar_walk walk, const T *restrict x, SUM *restrict sums) { \
    const int64_t rows = ar_take_rows(&walk), n = walk.size[walk.rank - 1];    \
    int64_t index[AR_WALK_RANK] = {0}, start = 0;                              \
    do {                                                                       \
      SUM *to = sums + start;                                                  \
      if (walk.step[walk.rank - 1]) {                                          \
        fold_##T(x, rows, n, to);                                              \
      } else {                                                                 \
        SUM sum = *to;                                                         \
        for (int64_t i = 0; i < n; ++i) sum += (SUM)x[i];                      \
        *to = sum;                                                             \
      }                                                                        \
      x += rows * n;                                                           \
    } while (ar_next(&walk, index, &start));                                   \
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
    case AR_FLOAT32: add_float(plan->output, io[1].data, io[0].data); break;
    case AR_INT8: add_int8_t(plan->output, io[1].data, sums); break;
    default: add_int16_t(plan->output, io[1].data, sums);
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
