/* LOGISTIC and TANH: int8 through the parameters' table, int16, float32. */
#include "float_math.h"
#include "lookup.h"
#include "name.h"
#include "sigmoid_int16.h"
#include "records/sigmoid.h"

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const SigmoidParams *p = opaque;
  if (!AR_IS_ONE_OF(io[0].type, AR_INT8, AR_INT16, AR_FLOAT32) || !ar_alike(&io[0], &io[1]))
    return AR_UNSUPPORTED;
  if (io[0].type == AR_INT8 && p->table.count < 256) return AR_UNSUPPORTED;
  if (io[0].type == AR_INT16 && (p->input_left_shift < 0 || p->input_left_shift > 31))
    return AR_UNSUPPORTED;
  return AR_OK;
}

#define AR_DEFINE_RUN(name)                                                                        \
  static void name##_int16(const SigmoidParams *p, const int16_t *restrict x, int16_t *restrict y, \
                           int64_t count) {                                                        \
    const int32_t multiplier = p->input_multiplier, shift = p->input_left_shift;                   \
    for (int64_t i = 0; i < count; ++i)                                                            \
      y[i] = (int16_t)ar_##name##_int16(ar_sigmoid_input(x[i], multiplier, shift));                \
  }                                                                                                \
  static void name##_float(const float *restrict x, float *restrict y, int64_t count) {            \
    for (int64_t i = 0; i < count; ++i) y[i] = ar_##name(x[i]);                                    \
  }                                                                                                \
  static ar_status run_##name(const void *params, const void *, const ar_tensor *io, uint8_t *) {  \
    const SigmoidParams *p = params;                                                               \
    const int64_t count = ar_elements(&io[0]);                                                     \
    switch (io[0].type) {                                                                          \
      case AR_INT8: ar_lookup(p->table.data, io[1].data, io[0].data, count); break;                \
      case AR_INT16: name##_int16(p, io[1].data, io[0].data, count); break;                        \
      default: name##_float(io[1].data, io[0].data, count);                                        \
    }                                                                                              \
    return AR_OK;                                                                                  \
  }

AR_DEFINE_RUN(logistic)
AR_DEFINE_RUN(tanh)

AR_FLAT_PORTABLE_KERNEL(LOGISTIC, AR_LOOKUP_WORK, measure, ar_plan_nothing, run_logistic)
AR_FLAT_PORTABLE_KERNEL(TANH, AR_LOOKUP_WORK, measure, ar_plan_nothing, run_tanh)
