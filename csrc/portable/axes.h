/* How the elements of a tensor meet those of its reduction over some axes. */
#pragma once

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

enum { AR_FOLDED = 128 }; /* elements of short rows that are worked on side by side */

/* Defines name(x, rows, n, to), which brings `rows` rows of n elements of type T, one behind the
 * other, onto one row of results of type R: to[i] = OP(x[i], to[i]). Short rows are brought
 * together in lanes first, each of which begins with BEGIN(to[i]). */
#define AR_FOLD(name, T, R, BEGIN, OP)                                                \
  static void name(const T *restrict x, int64_t rows, int64_t n, R *restrict to) {    \
    const int64_t together = n < AR_FOLDED ? AR_FOLDED / n : 1, width = together * n; \
    int64_t row = 0;                                                                  \
    if (together > 1 && rows >= 2 * together) {                                       \
      R lane[AR_FOLDED];                                                              \
      for (int64_t k = 0; k < width; k += n)                                          \
        for (int64_t i = 0; i < n; ++i) lane[k + i] = BEGIN(to[i]);                   \
      if (width == AR_FOLDED) /* a loop of known length, whose lanes are registers */ \
        for (; row + together <= rows; row += together, x += AR_FOLDED)               \
          for (int i = 0; i < AR_FOLDED; ++i) lane[i] = OP(x[i], lane[i]);            \
      for (; row + together <= rows; row += together, x += width)                     \
        for (int64_t i = 0; i < width; ++i) lane[i] = OP(x[i], lane[i]);              \
      for (int64_t k = 0; k < width; k += n)                                          \
        for (int64_t i = 0; i < n; ++i) to[i] = OP(lane[k + i], to[i]);               \
    }                                                                                 \
    for (; row < rows; ++row, x += n)                                                 \
      for (int64_t i = 0; i < n; ++i) to[i] = OP(x[i], to[i]);                        \
  }

/* Takes the axis out of a walk along which rows that stay follow each other on the way to one
 * row of results; how many rows that are. */
static inline int64_t ar_take_rows(ar_walk *walk) {
  const int32_t last = walk->rank - 1;
  if (last < 1 || !walk->step[last] || walk->step[last - 1]) return 1;
  const int64_t rows = walk->size[last - 1];
  walk->size[last - 1] = walk->size[last];
  walk->step[last - 1] = walk->step[last];
  walk->rank = last;
  return rows;
}
