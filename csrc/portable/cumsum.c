/* CUMSUM: running sums of float32, and of int8 requantised. */
#include "arithmetic/fixedpoint.h"
#include "float_math.h"
#include "name.h"
#include "records/cumsum.h"

enum { FRACTION = 19, BLOCK = 256, SHORT = 16 };

/* `n` slices of `inner` elements, `outer` times; a step goes from slice to slice. */
typedef struct {
  int64_t outer, n, inner;
} slices;

static slices slices_of(const CumsumParams *p, const ar_tensor *x) {
  slices s = {1, x->dims[p->axis], 1};
  for (int32_t i = 0; i < p->axis; ++i) s.outer *= x->dims[i];
  for (int32_t i = p->axis + 1; i < x->rank; ++i) s.inner *= x->dims[i];
  return s;
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const CumsumParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (!AR_IS_ONE_OF(x->type, AR_INT8, AR_FLOAT32) || !ar_alike(y, x)) return AR_UNSUPPORTED;
  if (p->axis < 0 || p->axis >= x->rank || !ar_is_rescale(p->shift)) return AR_UNSUPPORTED;
  /* A slice of sums of int8. */
  if (x->type == AR_INT8) sizes->workspace = slices_of(p, x).inner * (int64_t)sizeof(int32_t);
  return AR_OK;
}

/* -- floats: TFLM's order of sums, but for rows, where sums wait for each other */

typedef float eight __attribute__((vector_size(32)));

/* A sum's place moved on by 1, 2 or 4, with zeros behind, and the last sum everywhere. */
#define FORWARD(move)                                                             \
  (move == 1   ? __builtin_shufflevector(zero, sums, 0, 8, 9, 10, 11, 12, 13, 14) \
   : move == 2 ? __builtin_shufflevector(zero, sums, 0, 0, 8, 9, 10, 11, 12, 13)  \
   : move == 4 ? __builtin_shufflevector(zero, sums, 0, 0, 0, 0, 8, 9, 10, 11)    \
               : __builtin_shufflevector(sums, sums, 7, 7, 7, 7, 7, 7, 7, 7))
#define BACKWARD(move)                                                       \
  (move == 1   ? __builtin_shufflevector(sums, zero, 1, 2, 3, 4, 5, 6, 7, 8) \
   : move == 2 ? __builtin_shufflevector(sums, zero, 2, 3, 4, 5, 6, 7, 8, 8) \
   : move == 4 ? __builtin_shufflevector(sums, zero, 4, 5, 6, 7, 8, 8, 8, 8) \
               : __builtin_shufflevector(sums, sums, 0, 0, 0, 0, 0, 0, 0, 0))

/* Sums of eight are made side by side, and moved on by the sum before them. Where a result is no
 * number all is to be done again in order: such sums overflow elsewhere. */
#define AR_SUM_QUICKLY(name, reverse, MOVED)                                          \
  static int name(const float *x, float *y, int64_t n, int exclusive) {               \
    /* No constant: compilers make expansions of moves with zeros, which are slow. */ \
    volatile float nothing = 0.0f;                                                    \
    const eight zero = (eight){0} + nothing;                                          \
    eight before = {0};                                                               \
    int64_t i = 0;                                                                    \
    for (; i + 8 <= n; i += 8) {                                                      \
      const int64_t at = reverse ? n - 8 - i : i;                                     \
      eight sums;                                                                     \
      memcpy(&sums, x + at, sizeof sums);                                             \
      sums += MOVED(1);                                                               \
      sums += MOVED(2);                                                               \
      sums += MOVED(4);                                                               \
      const eight result = (exclusive ? MOVED(1) : sums) + before;                    \
      memcpy(y + at, &result, sizeof result);                                         \
      before += MOVED(8);                                                             \
    }                                                                                 \
    sum_row_on(x, y, n, i, reverse, exclusive, before[0]);                            \
    return ar_are_magnitudes_under(y, n, 3.40282347e+38f);                            \
  }

/* The rest of a row, from the i-th sum on. */
static inline __attribute__((always_inline)) void sum_row_on(const float *x, float *y, int64_t n,
                                                             int64_t i, int reverse, int exclusive,
                                                             float total) {
  for (; i < n; ++i) {
    const int64_t at = reverse ? n - 1 - i : i;
    const float before = total;
    total += x[at];
    y[at] = exclusive ? before : total;
  }
}

/* Rows of few sums, in TFLM's order: rows do not wait for each other. */
static inline __attribute__((always_inline)) void sum_short(const float *x, float *y, int64_t rows,
                                                            int64_t n, int reverse, int exclusive) {
  for (; rows > 0; --rows, x += n, y += n) sum_row_on(x, y, n, 0, reverse, exclusive, 0.0f);
}

static void sum_short_rows(const float *x, float *y, int64_t rows, int64_t n, int reverse,
                           int exclusive) {
  if (reverse || exclusive) sum_short(x, y, rows, n, reverse, exclusive);
  else if (n == 4) sum_short(x, y, rows, 4, 0, 0);
  else sum_short(x, y, rows, n, 0, 0);
}

AR_SUM_QUICKLY(sum_forward, 0, FORWARD)
AR_SUM_QUICKLY(sum_backward, 1, BACKWARD)

static int sum_quickly(const float *x, float *y, int64_t n, int reverse, int exclusive) {
  return reverse ? sum_backward(x, y, n, exclusive) : sum_forward(x, y, n, exclusive);
}

static void sum_slices(const float *restrict x, float *restrict y, int64_t n, int64_t inner,
                       int64_t step, int exclusive) {
  if (exclusive) {
    for (int64_t j = 0; j < inner; ++j) y[j] = 0.0f;
    for (int64_t k = 1; k < n; ++k, x += step, y += step)
      for (int64_t j = 0; j < inner; ++j) y[step + j] = y[j] + x[j];
    return;
  }
  for (int64_t j = 0; j < inner; ++j) y[j] = x[j];
  for (int64_t k = 1; k < n; ++k, y += step) {
    x += step;
    for (int64_t j = 0; j < inner; ++j) y[step + j] = y[j] + x[j];
  }
}

static void sum_floats(const CumsumParams *p, slices s, const float *x, float *y) {
  const int64_t whole = s.n * s.inner, first = p->reverse ? whole - s.inner : 0;
  const int64_t step = p->reverse ? -s.inner : s.inner;
  if (s.inner == 1 && s.n < SHORT) {
    sum_short_rows(x, y, s.outer, s.n, p->reverse, p->exclusive);
    return;
  }
  for (int64_t i = 0; i < s.outer; ++i, x += whole, y += whole) {
    if (s.inner > 1) {
      sum_slices(x + first, y + first, s.n, s.inner, step, p->exclusive);
    } else if (x == y || !sum_quickly(x, y, s.n, p->reverse, p->exclusive)) {
      sum_row_on(x, y, s.n, 0, p->reverse, p->exclusive, 0.0f);
    }
  }
}

/* -- int8: sums wrap at 32 bits */

#define AR_REQUANTIZE(name, once)                                                          \
  static void name(const CumsumParams p, const int32_t *restrict sums, int8_t *restrict y, \
                   int64_t count) {                                                        \
    for (int64_t i = 0; i < count; ++i) {                                                  \
      const uint32_t moved = (uint32_t)ar_scale(once, sums[i], p.multiplier, p.shift) +    \
                             (uint32_t)p.output_zero_point;                                \
      y[i] = (int8_t)ar_clamp((int32_t)moved, INT8_MIN, INT8_MAX);                         \
    }                                                                                      \
  }

AR_REQUANTIZE(requantize_once, 1)
AR_REQUANTIZE(requantize_twice, 0)

static void requantize(const CumsumParams *p, const int32_t *sums, int8_t *y, int64_t count) {
  (ar_rounds_once(p->shift) ? requantize_once : requantize_twice)(*p, sums, y, count);
}

static inline uint32_t term(int8_t x, int32_t zero) {
  return ((uint32_t)(int32_t)x - (uint32_t)zero) << FRACTION;
}

static void sum_row_int8(const CumsumParams *p, const int8_t *x, int8_t *y, int64_t n) {
  const int64_t step = p->reverse ? -1 : 1;
  uint32_t total = term(0, p->input_zero_point);
  for (int64_t done = 0; done < n; done += BLOCK) {
    const int64_t count = n - done < BLOCK ? n - done : BLOCK;
    /* The block's place, and the element that comes first. */
    const int64_t place = p->reverse ? n - done - count : done;
    int64_t i = p->reverse ? count - 1 : 0;
    int32_t sums[BLOCK];
    for (int64_t k = 0; k < count; ++k, i += step) {
      const uint32_t before = total;
      total += term(x[place + i], p->input_zero_point);
      sums[i] = (int32_t)(p->exclusive ? before : total);
    }
    requantize(p, sums, y + place, count);
  }
}

/* Rows of few sums, many of which are requantised together. */
static void sum_short_rows_int8(const CumsumParams *p, const int8_t *x, int8_t *y, int64_t rows,
                                int64_t n) {
  const uint32_t start = term(0, p->input_zero_point);
  const int64_t most = BLOCK / n, first = p->reverse ? n - 1 : 0, step = p->reverse ? -1 : 1;
  int32_t sums[BLOCK];
  for (int64_t done = 0; done < rows; done += most) {
    const int64_t count = rows - done < most ? rows - done : most;
    const int8_t *from = x + done * n;
    for (int64_t r = 0; r < count; ++r) {
      uint32_t total = start;
      for (int64_t k = 0, i = r * n + first; k < n; ++k, i += step) {
        const uint32_t before = total;
        total += term(from[i], p->input_zero_point);
        sums[i] = (int32_t)(p->exclusive ? before : total);
      }
    }
    requantize(p, sums, y + done * n, count * n);
  }
}

static void add_slice(const int8_t *restrict x, uint32_t *restrict sums, int64_t n, int32_t zero) {
  for (int64_t j = 0; j < n; ++j) sums[j] += term(x[j], zero);
}

static void sum_int8(const CumsumParams *p, slices s, const int8_t *x, int8_t *y, uint32_t *sums) {
  const int64_t whole = s.n * s.inner;
  if (s.inner == 1 && s.n < SHORT) {
    sum_short_rows_int8(p, x, y, s.outer, s.n);
    return;
  }
  for (int64_t i = 0; i < s.outer; ++i, x += whole, y += whole) {
    if (s.inner == 1) {
      sum_row_int8(p, x, y, s.n);
      continue;
    }
    for (int64_t j = 0; j < s.inner; ++j) sums[j] = term(0, p->input_zero_point);
    for (int64_t k = 0; k < s.n; ++k) {
      const int64_t at = (p->reverse ? s.n - 1 - k : k) * s.inner;
      if (p->exclusive) requantize(p, (int32_t *)sums, y + at, s.inner);
      add_slice(x + at, sums, s.inner, p->input_zero_point);
      if (!p->exclusive) requantize(p, (int32_t *)sums, y + at, s.inner);
    }
  }
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *workspace) {
  const CumsumParams *p = opaque;
  const slices s = slices_of(p, &io[1]);
  if (ar_elements(&io[0]) == 0) return AR_OK;
  if (io[0].type == AR_INT8) sum_int8(p, s, io[1].data, io[0].data, (uint32_t *)workspace);
  else sum_floats(p, s, io[1].data, io[0].data);
  return AR_OK;
}

AR_PORTABLE_KERNEL(CUMSUM, measure, ar_plan_nothing, run)
