/* Inputs that broadcast to an output: rows of elements, and where each row starts. */
#pragma once

#include "name.h"

enum { AR_MAX_RANK = 6, AR_BROADCAST_INPUTS = 3 };

/* Neighbouring axes along which all inputs move alike are one axis here. The last axis is a
 * row: in it an input moves by one element, or not at all. */
typedef struct {
  int32_t rank;   /* at least 1 */
  int32_t inputs; /* up to AR_BROADCAST_INPUTS */
  int64_t size[AR_MAX_RANK];
  int64_t step[AR_BROADCAST_INPUTS][AR_MAX_RANK]; /* elements, per input */
} ar_broadcast;

/* The elements of axis `i` of `rank` ones, counted from the front. */
static inline int64_t ar_extent(const ar_tensor *t, int32_t rank, int32_t i) {
  const int32_t own = i - (rank - t->rank);
  return own < 0 ? 1 : t->dims[own];
}

static inline void ar_merge_axis(ar_broadcast *g, int64_t size, const int64_t *step) {
  const int32_t last = g->rank - 1;
  if (size == 1) return;
  int merges = g->rank > 0;
  for (int32_t k = 0; merges && k < g->inputs; ++k)
    merges = step[k] == g->step[k][last] * g->size[last];
  if (merges) {
    g->size[last] *= size;
    return;
  }
  g->size[g->rank] = size;
  for (int32_t k = 0; k < g->inputs; ++k) g->step[k][g->rank] = step[k];
  ++g->rank;
}

static inline void ar_turn_around(int64_t *x, int32_t count) {
  for (int32_t i = 0, j = count - 1; i < j; ++i, --j) {
    const int64_t kept = x[i];
    x[i] = x[j];
    x[j] = kept;
  }
}

/* From the last axis to the first, then turned around. */
static inline ar_status ar_broadcast_inputs(const ar_tensor *y, const ar_tensor *const *x,
                                            int32_t inputs, ar_broadcast *g) {
  int32_t rank = 0;
  int64_t stride[AR_BROADCAST_INPUTS], step[AR_BROADCAST_INPUTS], total = 1;
  for (int32_t k = 0; k < inputs; ++k) {
    rank = x[k]->rank > rank ? x[k]->rank : rank;
    stride[k] = 1;
  }
  *g = (ar_broadcast){.inputs = inputs};
  for (int32_t i = rank - 1; i >= 0; --i) {
    int64_t size = 1;
    for (int32_t k = 0; k < inputs; ++k) {
      const int64_t n = ar_extent(x[k], rank, i);
      if (n != 1 && size != 1 && n != size) return AR_UNSUPPORTED;
      if (n != 1) size = n;
      step[k] = n == 1 ? 0 : stride[k];
      stride[k] *= n;
    }
    ar_merge_axis(g, size, step);
    total *= size;
  }
  if (total != ar_elements(y)) return AR_UNSUPPORTED;
  if (g->rank == 0) g->rank = 1, g->size[0] = 1;
  ar_turn_around(g->size, g->rank);
  for (int32_t k = 0; k < inputs; ++k) ar_turn_around(g->step[k], g->rank);
  return AR_OK;
}

static inline ar_status ar_broadcast_of(const ar_tensor *y, const ar_tensor *a, const ar_tensor *b,
                                        ar_broadcast *g) {
  return ar_broadcast_inputs(y, (const ar_tensor *const[]){a, b}, 2, g);
}

/* Where a row starts, in elements of each input. */
typedef struct {
  int64_t start[AR_BROADCAST_INPUTS];
  int64_t index[AR_MAX_RANK];
} ar_row;

/* Goes on to the next row; 0 behind the last one. */
static inline int ar_next_row(const ar_broadcast *g, ar_row *row) {
  for (int32_t i = g->rank - 2; i >= 0; --i) {
    for (int32_t k = 0; k < AR_BROADCAST_INPUTS; ++k) row->start[k] += g->step[k][i];
    if (++row->index[i] < g->size[i]) return 1;
    for (int32_t k = 0; k < AR_BROADCAST_INPUTS; ++k) row->start[k] -= g->step[k][i] * g->size[i];
    row->index[i] = 0;
  }
  return 0;
}

/* Defines `static void name(const ar_broadcast *, const PARAMS *p, const ar_tensor *io)`, which
 * fills the output, of type Y, with FUNCTION(p, T, S). */
#define AR_BINARY(name, T, PARAMS, FUNCTION) AR_MIXED_BINARY(name, T, T, T, PARAMS, FUNCTION)
#define AR_MIXED_BINARY(name, Y, T, S, PARAMS, FUNCTION)                                   \
  static void name##_row(const PARAMS p, const T *a, const S *b, Y *restrict y, int64_t n, \
                         int64_t step0, int64_t step1) {                                   \
    if (step0 && step1) {                                                                  \
      for (int64_t i = 0; i < n; ++i) y[i] = (Y)FUNCTION(&p, a[i], b[i]);                  \
    } else if (step0) {                                                                    \
      const S one = *b;                                                                    \
      for (int64_t i = 0; i < n; ++i) y[i] = (Y)FUNCTION(&p, a[i], one);                   \
    } else {                                                                               \
      const T one = *a;                                                                    \
      for (int64_t i = 0; i < n; ++i) y[i] = (Y)FUNCTION(&p, one, b[i]);                   \
    }                                                                                      \
  }                                                                                        \
  AR_BINARY_BY_ROWS(name, Y, T, S, PARAMS)

/* The same with a function name##_row() of the caller's, which fills one row. */
#define AR_BINARY_BY_ROWS(name, Y, T, S, PARAMS)                                  \
  static void name(const ar_broadcast *g, const PARAMS *p, const ar_tensor *io) { \
    const T *a = io[1].data;                                                      \
    const S *b = io[2].data;                                                      \
    Y *y = io[0].data;                                                            \
    const int32_t last = g->rank - 1;                                             \
    const int64_t n = g->size[last];                                              \
    ar_row row = {0};                                                             \
    if (ar_elements(&io[0]) == 0) return;                                         \
    do {                                                                          \
      name##_row(*p, a + row.start[0], b + row.start[1], y, n, g->step[0][last],  \
                 g->step[1][last]);                                               \
      y += n;                                                                     \
    } while (ar_next_row(g, &row));                                               \
  }

/* The parameters of functions that have none. */
typedef struct {
  int nothing;
} ar_no_params;

/* measure() and plan() of such an operator: the plan is the broadcast. */
static inline ar_status ar_measure_binary(const ar_tensor *io, ar_sizes *sizes) {
  ar_broadcast unused;
  if (io[1].type != io[0].type || io[2].type != io[0].type) return AR_UNSUPPORTED;
  sizes->plan = sizeof(ar_broadcast);
  return ar_broadcast_of(&io[0], &io[1], &io[2], &unused);
}

static inline ar_status ar_plan_binary(const void *, const ar_tensor *io, void *plan) {
  return ar_broadcast_of(&io[0], &io[1], &io[2], plan);
}

/* run() of arithmetic on int8, int16, int32 and float32: of `rescaled(once, p, a, b)` for what is
 * quantised, and of `on_int32(p, a, b)` and `on_float(p, a, b)`. */
#define AR_ARITHMETIC(PARAMS)                                                                  \
  static inline int32_t quantized(const PARAMS *p, int32_t a, int32_t b) {                     \
    return rescaled(0, p, a, b);                                                               \
  }                                                                                            \
  static inline int32_t quantized_once(const PARAMS *p, int32_t a, int32_t b) {                \
    return rescaled(1, p, a, b);                                                               \
  }                                                                                            \
  AR_BINARY(run_int8, int8_t, PARAMS, quantized)                                               \
  AR_BINARY(run_int16, int16_t, PARAMS, quantized)                                             \
  AR_BINARY(run_int8_once, int8_t, PARAMS, quantized_once)                                     \
  AR_BINARY(run_int16_once, int16_t, PARAMS, quantized_once)                                   \
  AR_BINARY(run_int32, int32_t, PARAMS, on_int32)                                              \
  AR_BINARY(run_float, float, PARAMS, on_float)                                                \
  static ar_status run(const void *params, const void *plan, const ar_tensor *io, uint8_t *) { \
    const int once = ar_rounds_once(((const PARAMS *)params)->output_shift);                   \
    switch (io[0].type) {                                                                      \
      case AR_INT8: (once ? run_int8_once : run_int8)(plan, params, io); break;                \
      case AR_INT16: (once ? run_int16_once : run_int16)(plan, params, io); break;             \
      case AR_INT32: run_int32(plan, params, io); break;                                       \
      default: run_float(plan, params, io);                                                    \
    }                                                                                          \
    return AR_OK;                                                                              \
  }
