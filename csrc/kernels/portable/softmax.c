/* SOFTMAX on int8: exponentials from the table of the parameters, times the sum's reciprocal. */
#include "../fixedpoint.h"
#include "name.h"

enum { ACCUMULATION_BITS = 12 };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  (void)params, (void)sizes;
  return io[1].type == AR_INT8 && io[0].type == AR_INT8 && io[1].rank > 0 ? AR_OK : AR_UNSUPPORTED;
}

static ar_status softmax_row(const int32_t *table, const int8_t *x, int8_t *y, int32_t count) {
  int32_t largest = x[0];
  for (int32_t i = 1; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
  uint32_t sum = 0;
  for (int32_t i = 0; i < count; ++i)
    sum += (uint32_t)ar_rdbpot(table[largest - x[i]], ACCUMULATION_BITS);
  int32_t bits;
  const int32_t reciprocal = ar_reciprocal((int32_t)sum, ACCUMULATION_BITS, &bits);
  const int32_t shift = bits + 31 - 8;
  if (shift < 0 || shift > 31) return AR_BAD_ARGUMENT;
  for (int32_t i = 0; i < count; ++i) {
    int32_t scaled = ar_rdbpot(ar_srdhm(reciprocal, table[largest - x[i]]), shift);
    y[i] = (int8_t)ar_clamp(scaled - 128, -128, 127);
  }
  return AR_OK;
}

static ar_status run(const void *opaque, const void *plan, const ar_tensor *io,
                     uint8_t *workspace) {
  (void)plan, (void)workspace;
  const SoftmaxParams *params = opaque;
  const int32_t depth = io[1].dims[io[1].rank - 1];
  const int64_t count = ar_elements(&io[1]);
  const int8_t *x = io[1].data;
  int8_t *y = io[0].data;
  for (int64_t i = 0; i < count; i += depth) {
    ar_status status = softmax_row(params->exp_table, x + i, y + i, depth);
    if (status != AR_OK) return status;
  }
  return AR_OK;
}

const ar_kernel AR_NAME(softmax) = {"SOFTMAX", measure, ar_plan_nothing, run};
