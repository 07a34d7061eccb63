/* SOFTMAX along the last axis: int8 to int8 or int16, int16, float32. */
#include "arithmetic/fixedpoint.h"
#include "float_math.h"
#include "name.h"
#include "table_int16.h"
#include "records/softmax.h"

enum { ACCUMULATION_BITS = 12 };

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const SoftmaxParams *p = opaque;
  const ar_tensor *y = &io[0], *x = &io[1];
  if (x->rank < 1 || x->dims[x->rank - 1] < 1 || ar_elements(x) != ar_elements(y))
    return AR_UNSUPPORTED;
  if (x->type == AR_INT8) {
    const int known = AR_IS_ONE_OF(y->type, AR_INT8, AR_INT16);
    return known && p->exp_table.count >= 256 ? AR_OK : AR_UNSUPPORTED;
  }
  if (x->type != y->type) return AR_UNSUPPORTED;
  if (x->type == AR_FLOAT32) return AR_OK;
  const int fits = p->exp_table.count >= AR_TABLE_INT16 &&
                   p->reciprocal_table.count >= AR_TABLE_INT16 &&
                   ar_is_rescale(p->input_left_shift);
  sizes->workspace = (int64_t)x->dims[x->rank - 1] * 4;
  return x->type == AR_INT16 && fits ? AR_OK : AR_UNSUPPORTED;
}

/* -- int8: exponentials from the table of the parameters, times the sum's reciprocal */

/* The reciprocal of a row's sum of exponentials, and the shift to `output_bits` bits. */
static ar_status row_scale(const int32_t *table, const int8_t *x, int32_t count,
                           int32_t output_bits, int32_t *largest, int32_t *reciprocal,
                           int32_t *shift) {
  int32_t maximum = x[0];
  for (int32_t i = 1; i < count; ++i) maximum = x[i] > maximum ? x[i] : maximum;
  uint32_t sum = 0;
  for (int32_t i = 0; i < count; ++i)
    sum += (uint32_t)ar_rdbpot(table[maximum - x[i]], ACCUMULATION_BITS);
  if (sum == 0) return AR_BAD_ARGUMENT; /* of so many that it wrapped around */
  int32_t bits;
  *reciprocal = ar_reciprocal((int32_t)sum, ACCUMULATION_BITS, &bits);
  *shift = bits + 31 - output_bits;
  *largest = maximum;
  return *shift < 0 || *shift > 31 ? AR_BAD_ARGUMENT : AR_OK;
}

/* An output that lies over its input changes it on the way: a byte is always in the table. */
#define AR_SOFTMAX_INT8(OUT, BITS, LOWEST)                                                       \
  static ar_status softmax_int8_to_##OUT(const int32_t *table, const int8_t *x, OUT *restrict y, \
                                         int32_t count) {                                        \
    int32_t largest, reciprocal, shift;                                                          \
    const ar_status status = row_scale(table, x, count, BITS, &largest, &reciprocal, &shift);    \
    if (status != AR_OK) return status;                                                          \
    for (int32_t i = 0; i < count; ++i) {                                                        \
      const int32_t scaled =                                                                     \
          ar_rdbpot(ar_srdhm(reciprocal, table[(uint8_t)(largest - x[i])]), shift);              \
      y[i] = (OUT)ar_clamp_offset(scaled, LOWEST, LOWEST, -1 - (LOWEST));                        \
    }                                                                                            \
    return AR_OK;                                                                                \
  }

AR_SOFTMAX_INT8(int8_t, 8, -128)
AR_SOFTMAX_INT8(int16_t, 16, -32768)

/* -- int16: exp and the sum's reciprocal are interpolated in tables */

static ar_status softmax_int16(const SoftmaxParams *p, const int16_t *x, int16_t *restrict y,
                               int32_t count, int32_t *restrict exponentials) {
  int32_t largest = x[0];
  for (int32_t i = 1; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
  int64_t sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled = ar_rescale(x[i] - largest, p->input_multiplier, p->input_left_shift);
    const int32_t centred = (int32_t)((uint32_t)scaled + 32767);
    exponentials[i] = ar_table_int16(p->exp_table.data, ar_clamp(centred, -32768, 32767));
    sum += exponentials[i];
  }
  if (sum < 1 || sum > INT32_MAX) return AR_BAD_ARGUMENT;
  const int32_t zeros = ar_leading_zeros((uint32_t)sum);
  /* The sum as 1 + x with x in [0, 1), in units of 2^-16, recentred on the table. */
  const int64_t normalised = ((sum << (zeros - 1)) + (1 << 13)) >> 14;
  const int64_t centred = normalised - (1 << 15) - (1 << 16);
  const int32_t reciprocal =
      ar_table_int16(p->reciprocal_table.data, centred < -32768  ? -32768
                                               : centred > 32767 ? 32767
                                                                 : (int32_t)centred);
  const int32_t shift = 31 - zeros;
  const int64_t half = shift > 0 ? INT64_C(1) << (shift - 1) : 0;
  const int64_t most = p->keeps_low_bits ? 32768 : 32767; /* which leaves int16 */
  for (int32_t i = 0; i < count; ++i) {
    const int64_t result = ((int64_t)exponentials[i] * reciprocal + half) >> shift;
    y[i] = (int16_t)(result < 0 ? 0 : result > most ? most : result);
  }
  return AR_OK;
}

/* -- float32: the row's largest value is subtracted first */

static void softmax_float(float beta, const float *x, float *restrict y, int32_t count) {
  float largest = x[0], sum = 0.0f;
  for (int32_t i = 1; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
  for (int32_t i = 0; i < count; ++i) y[i] = ar_exp((x[i] - largest) * beta);
  for (int32_t i = 0; i < count; ++i) sum += y[i];
  for (int32_t i = 0; i < count; ++i) y[i] /= sum;
}

static ar_status softmax_row(const SoftmaxParams *p, const ar_tensor *io, int64_t first,
                             int32_t count, void *workspace) {
  if (io[1].type == AR_FLOAT32) {
    softmax_float((float)p->beta, (const float *)io[1].data + first, (float *)io[0].data + first,
                  count);
    return AR_OK;
  }
  if (io[1].type == AR_INT16)
    return softmax_int16(p, (const int16_t *)io[1].data + first, (int16_t *)io[0].data + first,
                         count, workspace);
  const int8_t *x = (const int8_t *)io[1].data + first;
  if (io[0].type == AR_INT16)
    return softmax_int8_to_int16_t(p->exp_table.data, x, (int16_t *)io[0].data + first, count);
  return softmax_int8_to_int8_t(p->exp_table.data, x, (int8_t *)io[0].data + first, count);
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *workspace) {
  const int32_t depth = io[1].dims[io[1].rank - 1];
  const int64_t count = ar_elements(&io[1]);
  for (int64_t i = 0; i < count; i += depth) {
    const ar_status status = softmax_row(params, io, i, depth, workspace);
    if (status != AR_OK) return status;
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SOFTMAX, measure, ar_plan_nothing, run)
