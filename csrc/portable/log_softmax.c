/* LOG_SOFTMAX along the last axis: int8 and float32.
 *
 * The logarithm is gemmlowp's; the numbers are those of numeric/gemmlowp.py.
 */
#include <math.h>

#include "arithmetic/fixedpoint.h"
#include "float_math.h"
#include "name.h"
#include "records/log_softmax.h"

enum { ACCUMULATION_BITS = 12, DIFFERENCE_BITS = 5, WIDE_BITS = 6, OUTPUT_BITS = 4 };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const LogSoftmaxParams *p = params;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (x->rank < 1 || x->dims[x->rank - 1] < 1 || !ar_alike(x, y)) return AR_UNSUPPORTED;
  if (x->type == AR_FLOAT32) return AR_OK;
  const int fits = p->exp_table.count >= 256 && ar_is_shift(p->input_left_shift) &&
                   ar_is_rescale(p->reverse_shift) && p->diff_min > INT32_MIN;
  return x->type == AR_INT8 && fits ? AR_OK : AR_UNSUPPORTED;
}

static int32_t half_sum(int32_t a, int32_t b) {
  const int64_t sum = (int64_t)a + b;
  return (int32_t)((sum + (sum >= 0)) >> 1);
}

static int32_t saturated(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* log(x) for x >= 1 with ACCUMULATION_BITS; the result has DIFFERENCE_BITS. */
static int32_t log_of_sum(int32_t x) {
  const int32_t sqrt_half = 1518500250, sqrt_sqrt_half = 1805811301, log_2 = 1488522236;
  const int32_t alpha_n = 117049297, alpha_d = 127690142, alpha_i = 1057819769;
  const int32_t alpha_f = 638450708, quarter = (1 << 29) >> WIDE_BITS;
  /* x = r * 2^power with r around 2^(-1/4), in two ways of which one is in range. */
  const int32_t zeros_a = ar_leading_zeros((uint32_t)x) - 1;
  const int32_t r_a = ar_saturating_shift(ar_srdhm(ar_saturating_shift(x, zeros_a), sqrt_half), 1);
  const int64_t power_a =
      (int64_t)ar_saturating_shift(ACCUMULATION_BITS - zeros_a - 1, 31 - WIDE_BITS) + quarter;
  const int32_t zeros_b = ar_leading_zeros((uint32_t)ar_srdhm(x, sqrt_half)) - 1;
  const int32_t r_b = ar_saturating_shift(x, zeros_b);
  const int64_t power_b =
      (int64_t)ar_saturating_shift(ACCUMULATION_BITS - zeros_b, 31 - WIDE_BITS) - quarter;
  const int32_t r = r_a < r_b ? r_a : r_b;
  const int32_t power = saturated(power_a > power_b ? power_a : power_b);

  const int32_t p = half_sum(r, sqrt_sqrt_half), q = (r - sqrt_sqrt_half) * 2;
  const int32_t q2 = ar_srdhm(q, q);
  const int32_t numerator = ar_srdhm(q, r) + ar_srdhm(ar_srdhm(q, q2), alpha_n);
  const int32_t denominator_minus_one =
      ar_srdhm(p, alpha_i + q + ar_srdhm(alpha_d, q2)) + ar_srdhm(alpha_f, q);
  const int32_t fraction =
      ar_srdhm(ar_rdbpot(numerator, WIDE_BITS), ar_one_over_one_plus_x(denominator_minus_one));
  return ar_saturating_shift(ar_srdhm(power, log_2) + fraction, WIDE_BITS - DIFFERENCE_BITS);
}

static ar_status log_softmax_int8(const LogSoftmaxParams *p, const int8_t *x, int8_t *restrict y,
                                  int32_t count) {
  int32_t largest = x[0];
  for (int32_t i = 1; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
  int64_t sum = 0;
  for (int32_t i = 0; i < count; ++i)
    sum += ar_rdbpot(p->exp_table.data[largest - x[i]], ACCUMULATION_BITS);
  if (sum < 1 || sum > INT32_MAX) return AR_BAD_ARGUMENT;
  const int32_t log_sum = log_of_sum((int32_t)sum);
  int32_t least = ar_rescale(log_sum + INT32_MIN, p->reverse_multiplier, p->reverse_shift);
  if (least < p->diff_min - 1) least = p->diff_min - 1;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t difference = x[i] - largest;
    const int32_t scaled =
        ar_multiply_by_quantized_multiplier(difference, p->input_multiplier, p->input_left_shift);
    const int32_t log = (int32_t)((uint32_t)scaled - (uint32_t)log_sum);
    const int32_t result = 127 + ar_rdbpot(log, 31 - DIFFERENCE_BITS - OUTPUT_BITS);
    y[i] = (int8_t)(difference > least ? ar_clamp(result, -128, 127) : -128);
  }
  return AR_OK;
}

static void log_softmax_float(const float *x, float *restrict y, int32_t count) {
  float largest = x[0], sum = 0.0f;
  for (int32_t i = 1; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
  for (int32_t i = 0; i < count; ++i) y[i] = ar_exp(x[i] - largest);
  for (int32_t i = 0; i < count; ++i) sum += y[i];
  const float log_sum = logf(sum);
  for (int32_t i = 0; i < count; ++i) y[i] = (x[i] - largest) - log_sum;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const int32_t depth = io[1].dims[io[1].rank - 1];
  const int64_t count = ar_elements(&io[1]);
  for (int64_t i = 0; i < count; i += depth) {
    if (io[1].type == AR_FLOAT32) {
      log_softmax_float((const float *)io[1].data + i, (float *)io[0].data + i, depth);
      continue;
    }
    const ar_status status =
        log_softmax_int8(params, (const int8_t *)io[1].data + i, (int8_t *)io[0].data + i, depth);
    if (status != AR_OK) return status;
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(LOG_SOFTMAX, measure, ar_plan_nothing, run)
