/* REDUCE_MAX and REDUCE_MIN of int8 and float32, REDUCE_ALL of bool. */
#include <float.h>

#include "axes.h"

static ar_status describe(const void *params, const ar_tensor *io, ar_reduction *plan) {
  if (!AR_IS_ONE_OF(io[1].type, AR_INT8, AR_FLOAT32)) return AR_UNSUPPORTED;
  return ar_describe_reduction(params, io, plan);
}

static ar_status describe_all(const void *params, const ar_tensor *io, ar_reduction *plan) {
  return io[1].type == AR_BOOL ? ar_describe_reduction(params, io, plan) : AR_UNSUPPORTED;
}

AR_DESCRIBED(measure, plan, ar_reduction, describe)
AR_DESCRIBED(measure_all, plan_all, ar_reduction, describe_all)

enum { LANES = 64, FEW = 16 }; /* of one row's elements, which are compared side by side */

/* Compares rows with a row of results, or all of a row with one. What is no better, as no NaN
 * is, replaces nothing. */
#define AR_COMPARE_ROWS(name, T, BETTER)                                                         \
  /* Of a multiple of `lanes` elements. */                                                       \
  static inline __attribute__((always_inline)) T name##_in_lanes(const T *restrict x, int64_t n, \
                                                                 T best, int lanes) {            \
    T lane[LANES];                                                                               \
    for (int j = 0; j < lanes; ++j) lane[j] = best;                                              \
    for (int64_t i = 0; i < n; i += lanes)                                                       \
      for (int j = 0; j < lanes; ++j) lane[j] = BETTER(x[i + j], lane[j]);                       \
    for (int half = lanes / 2; half > 0; half /= 2)                                              \
      for (int j = 0; j < half; ++j) lane[j] = BETTER(lane[j + half], lane[j]);                  \
    return lane[0];                                                                              \
  }                                                                                              \
  static T name##_of_row(const T *restrict x, int64_t n, T best) {                               \
    const int64_t many = n - n % LANES, few = n - n % FEW;                                       \
    if (many) best = name##_in_lanes(x, many, best, LANES);                                      \
    if (few > many) best = name##_in_lanes(x + many, few - many, best, FEW);                     \
    for (int64_t i = few; i < n; ++i) best = BETTER(x[i], best);                                 \
    return best;                                                                                 \
  }                                                                                              \
  AR_FOLD(name##_of_rows, T, T, AS_BEFORE, BETTER)                                               \
  static void name(ar_walk walk, const T *restrict x, T *restrict y) {                           \
    const int64_t rows = ar_take_rows(&walk), n = walk.size[walk.rank - 1];                      \
    int64_t index[AR_WALK_RANK] = {0}, start = 0;                                                \
    do {                                                                                         \
      T *restrict to = y + start;                                                                \
      if (walk.step[walk.rank - 1]) name##_of_rows(x, rows, n, to);                              \
      else *to = name##_of_row(x, n, *to);                                                       \
      x += rows * n;                                                                             \
    } while (ar_next(&walk, index, &start));                                                     \
  }

#define AS_BEFORE(best) best
#define LARGER(x, best) ((x) > (best) ? (x) : (best))
#define SMALLER(x, best) ((x) < (best) ? (x) : (best))
#define BOTH(x, best) ((uint8_t)(((x) != 0) & (best)))

AR_COMPARE_ROWS(largest_int8, int8_t, LARGER)
AR_COMPARE_ROWS(largest_float, float, LARGER)
AR_COMPARE_ROWS(smallest_int8, int8_t, SMALLER)
AR_COMPARE_ROWS(smallest_float, float, SMALLER)
AR_COMPARE_ROWS(all, uint8_t, BOTH)

/* The results of nothing; 0 if there is nothing. */
static int begin(const ar_tensor *io, float worst_float, int worst_byte) {
  const int64_t n = ar_elements(&io[0]);
  if (io[0].type == AR_FLOAT32)
    for (int64_t i = 0; i < n; ++i) ((float *)io[0].data)[i] = worst_float;
  else memset(io[0].data, worst_byte, (size_t)n);
  return ar_elements(&io[1]) > 0;
}

#define AR_EXTREMUM(name, COMPARE, WORST_FLOAT, WORST_BYTE)                                 \
  static ar_status name(const void *, const void *memory, const ar_tensor *io, uint8_t *) { \
    const ar_walk walk = ((const ar_reduction *)memory)->output;                            \
    if (!begin(io, WORST_FLOAT, WORST_BYTE)) return AR_OK;                                  \
    if (io[0].type == AR_INT8) COMPARE##_int8(walk, io[1].data, io[0].data);                \
    else COMPARE##_float(walk, io[1].data, io[0].data);                                     \
    return AR_OK;                                                                           \
  }

AR_EXTREMUM(run_max, largest, -FLT_MAX, INT8_MIN)
AR_EXTREMUM(run_min, smallest, FLT_MAX, INT8_MAX)

static ar_status run_all(const void *, const void *memory, const ar_tensor *io, uint8_t *) {
  const ar_walk walk = ((const ar_reduction *)memory)->output;
  if (begin(io, 0, 1)) all(walk, io[1].data, io[0].data);
  return AR_OK;
}

AR_PORTABLE_KERNEL(REDUCE_MAX, measure, plan, run_max)
AR_PORTABLE_KERNEL(REDUCE_MIN, measure, plan, run_min)
AR_PORTABLE_KERNEL(REDUCE_ALL, measure_all, plan_all, run_all)
