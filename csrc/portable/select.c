/* SELECT_V2: one or the other of two tensors, as a third says; all three broadcast. */
#include <string.h>

#include "broadcast.h"

static const ar_tensor *const *operands(const ar_tensor *io, const ar_tensor *x[3]) {
  for (int32_t k = 0; k < 3; ++k) x[k] = &io[1 + k];
  return x;
}

static ar_status plan(const void *, const ar_tensor *io, void *memory) {
  const ar_tensor *x[3];
  return ar_broadcast_inputs(&io[0], operands(io, x), 3, memory);
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  ar_broadcast unused;
  const int32_t type = io[0].type;
  if (io[1].type != AR_BOOL || io[2].type != type || io[3].type != type) return AR_UNSUPPORTED;
  if (!AR_IS_ONE_OF(type, AR_INT8, AR_INT16, AR_FLOAT32)) return AR_UNSUPPORTED;
  sizes->plan = sizeof(ar_broadcast);
  return plan(params, io, &unused);
}

/* A bool is a byte, and true unless that is 0. */
#define AR_SELECT(T)                                                                            \
  static void take_##T(const T *from, int64_t step, T *to, int64_t n) {                         \
    if (step) memmove(to, from, (size_t)n * sizeof(T));                                         \
    else                                                                                        \
      for (int64_t i = 0; i < n; ++i) to[i] = *from;                                            \
  }                                                                                             \
  static void row_##T(const uint8_t *c, const T *x, int64_t step_x, const T *y, int64_t step_y, \
                      T *restrict to, int64_t n) {                                              \
    /* What is not taken is read as well, without which the loops would be branches. */         \
    const T one_x = *x, one_y = *y;                                                             \
    if (step_x && step_y)                                                                       \
      for (int64_t i = 0; i < n; ++i) {                                                         \
        const T one = x[i], other = y[i];                                                       \
        to[i] = c[i] ? one : other;                                                             \
      }                                                                                         \
    else if (step_x)                                                                            \
      for (int64_t i = 0; i < n; ++i) {                                                         \
        const T one = x[i];                                                                     \
        to[i] = c[i] ? one : one_y;                                                             \
      }                                                                                         \
    else if (step_y)                                                                            \
      for (int64_t i = 0; i < n; ++i) {                                                         \
        const T other = y[i];                                                                   \
        to[i] = c[i] ? one_x : other;                                                           \
      }                                                                                         \
    else                                                                                        \
      for (int64_t i = 0; i < n; ++i) to[i] = c[i] ? one_x : one_y;                             \
  }                                                                                             \
  static void select_##T(const ar_broadcast *g, const ar_tensor *io) {                          \
    const int32_t last = g->rank - 1;                                                           \
    const int64_t n = g->size[last], step_x = g->step[1][last], step_y = g->step[2][last];      \
    T *to = io[0].data;                                                                         \
    ar_row row = {0};                                                                           \
    do {                                                                                        \
      const uint8_t *c = (const uint8_t *)io[1].data + row.start[0];                            \
      const T *x = (const T *)io[2].data + row.start[1];                                        \
      const T *y = (const T *)io[3].data + row.start[2];                                        \
      if (g->step[0][last]) row_##T(c, x, step_x, y, step_y, to, n);                            \
      else if (*c) take_##T(x, step_x, to, n);                                                  \
      else take_##T(y, step_y, to, n);                                                          \
      to += n;                                                                                  \
    } while (ar_next_row(g, &row));                                                             \
  }

AR_SELECT(uint8_t)
AR_SELECT(uint16_t)
AR_SELECT(uint32_t)

static ar_status run(const void *, const void *plan, const ar_tensor *io, uint8_t *) {
  if (ar_elements(&io[0]) == 0) return AR_OK;
  switch (ar_element_bytes(io[0].type)) {
    case 1: select_uint8_t(plan, io); break;
    case 2: select_uint16_t(plan, io); break;
    default: select_uint32_t(plan, io);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SELECT_V2, measure, plan, run)
