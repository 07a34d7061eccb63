/* LOGISTIC and TANH: int8 through the parameters' table, int16, float32. */
#include "activation.h"
#include "float_math.h"
#include "sigmoid_int16.h"
#include "records/sigmoid.h"

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *) {
  const SigmoidParams *p = opaque;
  if (io[0].type == AR_INT16 && (p->input_left_shift < 0 || p->input_left_shift > 31))
    return AR_UNSUPPORTED;
  return ar_is_activation(io, p->table) ? AR_OK : AR_UNSUPPORTED;
}

#define AR_SIGMOID(name)                                                                          \
  static void name##_int16(const SigmoidParams p, const int16_t *restrict x, int16_t *restrict y, \
                           int64_t count) {                                                       \
    for (int64_t i = 0; i < count; ++i)                                                           \
      y[i] = (int16_t)ar_##name##_int16(                                                          \
          ar_sigmoid_input(x[i], p.input_multiplier, p.input_left_shift));                        \
  }                                                                                               \
  static void name##_float(const SigmoidParams, const float *restrict x, float *restrict y,       \
                           int64_t count) {                                                       \
    for (int64_t i = 0; i < count; ++i) y[i] = ar_##name(x[i]);                                   \
  }                                                                                               \
  AR_RUN_ACTIVATION(run_##name, SigmoidParams, name##_int16, name##_float)

AR_SIGMOID(logistic)
AR_SIGMOID(tanh)

AR_FLAT_PORTABLE_KERNEL(LOGISTIC, AR_LOOKUP_WORK, measure, ar_plan_nothing, run_logistic)
AR_FLAT_PORTABLE_KERNEL(TANH, AR_LOOKUP_WORK, measure, ar_plan_nothing, run_tanh)
