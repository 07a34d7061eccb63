/* L2_NORMALIZATION: rows of int8 and float32 divided by their norms. */
#include "arithmetic/fixedpoint.h"
#include "name.h"
#include "records/l2_normalization.h"

enum { LANES = 64, FEW = 8, FRACTION = 7, ROWS = 64 };

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const L2NormParams *p = opaque;
  const int known = AR_IS_ONE_OF(io[0].type, AR_INT8, AR_FLOAT32) && io[1].rank > 0;
  const int sound =
      ar_is_small(p->input_zero_point) && (p->rounding == 0 || p->rounding == AR_ONCE);
  return known && sound && ar_alike(&io[0], &io[1]) ? AR_OK : AR_UNSUPPORTED;
}

/* Of a multiple of `lanes` elements. */
static inline __attribute__((always_inline)) float squares_in_lanes(const float *x, int64_t n,
                                                                    int lanes) {
  float lane[LANES];
  for (int j = 0; j < lanes; ++j) lane[j] = 0.0f;
  for (int64_t i = 0; i < n; i += lanes)
    for (int j = 0; j < lanes; ++j) lane[j] += x[i + j] * x[i + j];
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lane[j] += lane[j + half];
  return lane[0];
}

static float sum_of_squares(const float *x, int64_t n) {
  const int64_t many = n - n % LANES, few = n - n % FEW;
  float sum = 0.0f;
  if (many) sum = squares_in_lanes(x, many, LANES);
  if (few > many) sum += squares_in_lanes(x + many, few - many, FEW);
  for (int64_t i = few; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

static void divide(const float *restrict x, float *restrict y, int64_t n, float norm) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] / norm;
}

static inline float at_least_little(float norm) { return norm < 1e-6f ? 1e-6f : norm; }

/* Rows of few elements, of which a loop does one after the other in the lanes of a register. */
#define AR_NORMALIZE_SHORT(depth)                                                             \
  static void normalize_##depth(const float *restrict x, float *restrict y, int64_t rows) {   \
    float norm[ROWS];                                                                         \
    for (int64_t done = 0; done < rows; done += ROWS, x += ROWS * depth, y += ROWS * depth) { \
      const int64_t count = rows - done < ROWS ? rows - done : ROWS;                          \
      for (int64_t r = 0; r < count; ++r) {                                                   \
        float sum = 0.0f;                                                                     \
        for (int k = 0; k < depth; ++k) sum += x[r * depth + k] * x[r * depth + k];           \
        norm[r] = at_least_little(sqrtf(sum));                                                \
      }                                                                                       \
      for (int64_t r = 0; r < count; ++r)                                                     \
        for (int k = 0; k < depth; ++k) y[r * depth + k] = x[r * depth + k] / norm[r];        \
    }                                                                                         \
  }

AR_NORMALIZE_SHORT(2)
AR_NORMALIZE_SHORT(3)
AR_NORMALIZE_SHORT(4)

static void normalize_floats(const float *x, float *y, int64_t rows, int64_t depth) {
  switch (depth) {
    case 2: normalize_2(x, y, rows); return;
    case 3: normalize_3(x, y, rows); return;
    case 4: normalize_4(x, y, rows); return;
    default: break;
  }
  for (int64_t i = 0; i < rows; ++i, x += depth, y += depth) {
    const float norm = sqrtf(sum_of_squares(x, depth));
    divide(x, y, depth, at_least_little(norm));
  }
}

static uint32_t sum_of_int8_squares(const int8_t *x, int64_t n, int32_t zero) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t centred = (uint32_t)(x[i] - zero);
    sum += centred * centred;
  }
  return sum;
}

static void scale(const int8_t *restrict x, int8_t *restrict y, int64_t n, int32_t zero,
                  int32_t multiplier, int32_t shift) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = (int8_t)ar_clamp(ar_rescale(x[i] - zero, multiplier, shift), INT8_MIN, INT8_MAX);
}

/* The same of rows of up to FEW elements, each of which has its row's multiplier. */
static void scale_short_rows(const int8_t *restrict x, int8_t *restrict y, int rows, int64_t depth,
                             int32_t zero, const int32_t *multiplier, const int32_t *shift,
                             int once) {
  int32_t of[AR_ROOTS * FEW], by[AR_ROOTS * FEW];
  for (int r = 0; r < rows; ++r)
    for (int64_t k = 0; k < depth; ++k) {
      of[r * depth + k] = multiplier[r];
      by[r * depth + k] = shift[r] + FRACTION;
    }
  const int64_t count = rows * depth;
  if (once)
    for (int64_t i = 0; i < count; ++i)
      y[i] = (int8_t)ar_clamp(ar_multiply_rounding_once(x[i] - zero, of[i], by[i]), INT8_MIN,
                              INT8_MAX);
  else
    for (int64_t i = 0; i < count; ++i)
      y[i] = (int8_t)ar_clamp(ar_multiply_by_quantized_multiplier(x[i] - zero, of[i], by[i]),
                              INT8_MIN, INT8_MAX);
}

static void normalize_int8(const L2NormParams *p, const int8_t *x, int8_t *y, int64_t rows,
                           int64_t depth) {
  const int32_t zero = p->input_zero_point;
  for (int64_t i = 0; i < rows; i += AR_ROOTS) {
    const int count = rows - i < AR_ROOTS ? (int)(rows - i) : AR_ROOTS;
    int32_t squares[AR_ROOTS] = {0}, multiplier[AR_ROOTS], shift[AR_ROOTS];
    for (int j = 0; j < count; ++j)
      squares[j] = (int32_t)sum_of_int8_squares(x + j * depth, depth, zero);
    ar_inverse_sqrt(squares, multiplier, shift);
    if (depth <= FEW) {
      scale_short_rows(x, y, count, depth, zero, multiplier, shift, p->rounding != 0);
      x += count * depth, y += count * depth;
      continue;
    }
    for (int j = 0; j < count; ++j, x += depth, y += depth)
      scale(x, y, depth, zero, multiplier[j], shift[j] + FRACTION + p->rounding);
  }
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const int64_t count = ar_elements(&io[0]), depth = io[1].dims[io[1].rank - 1];
  if (count == 0) return AR_OK;
  if (io[0].type == AR_INT8) normalize_int8(opaque, io[1].data, io[0].data, count / depth, depth);
  else normalize_floats(io[1].data, io[0].data, count / depth, depth);
  return AR_OK;
}

AR_PORTABLE_KERNEL(L2_NORMALIZATION, measure, ar_plan_nothing, run)
