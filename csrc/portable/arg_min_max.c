/* ARG_MAX and ARG_MIN of int8 and float32: the first index among equals. */
#include "name.h"
#include "records/arg_min_max.h"

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const ArgMinMaxParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_FLOAT32) || y->type != AR_INT32) return AR_UNSUPPORTED;
  if (p->axis < 0 || p->axis >= x->rank || x->dims[p->axis] < 1) return AR_UNSUPPORTED;
  return ar_elements(x) / x->dims[p->axis] == ar_elements(y) ? AR_OK : AR_UNSUPPORTED;
}

/* Nothing replaces a NaN, and a NaN replaces nothing. */
#define AR_SEARCH(name, T, WINS)                                                         \
  static void name(const T *x, int32_t *y, int64_t outer, int64_t n, int64_t inner) {    \
    for (int64_t i = 0; i < outer; ++i)                                                  \
      for (int64_t j = 0; j < inner; ++j) {                                              \
        const T *column = x + i * n * inner + j;                                         \
        T best = *column;                                                                \
        int32_t found = 0;                                                               \
        for (int64_t k = 1; k < n; ++k)                                                  \
          if (column[k * inner] WINS best) best = column[k * inner], found = (int32_t)k; \
        *y++ = found;                                                                    \
      }                                                                                  \
  }

typedef struct {
  int64_t outer, n, inner;
} sizes_of_search;

static sizes_of_search search_sizes(const ArgMinMaxParams *p, const ar_tensor *x) {
  sizes_of_search s = {1, x->dims[p->axis], 1};
  for (int32_t i = 0; i < p->axis; ++i) s.outer *= x->dims[i];
  for (int32_t i = p->axis + 1; i < x->rank; ++i) s.inner *= x->dims[i];
  return s;
}

#define AR_ARG(name, WINS)                                                                  \
  AR_SEARCH(name##_int8, int8_t, WINS)                                                      \
  AR_SEARCH(name##_float, float, WINS)                                                      \
  static ar_status name(const void *params, const void *, const ar_tensor *io, uint8_t *) { \
    const sizes_of_search s = search_sizes(params, &io[1]);                                 \
    if (io[1].type == AR_INT8) name##_int8(io[1].data, io[0].data, s.outer, s.n, s.inner);  \
    else name##_float(io[1].data, io[0].data, s.outer, s.n, s.inner);                       \
    return AR_OK;                                                                           \
  }

AR_ARG(arg_max, >)
AR_ARG(arg_min, <)

AR_PORTABLE_KERNEL(ARG_MAX, measure, ar_plan_nothing, arg_max)
AR_PORTABLE_KERNEL(ARG_MIN, measure, ar_plan_nothing, arg_min)
