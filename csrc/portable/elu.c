/* ELU: int8 through the parameters' table, float32. */
#include "activation.h"
#include "float_math.h"
#include "records/elu.h"

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const EluParams *p = params;
  const int known = io[0].type != AR_INT16 && ar_is_activation(io, p->table);
  return known ? AR_OK : AR_UNSUPPORTED;
}

static void elu_float(const float *restrict x, float *restrict y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const float below = ar_expm1_of_negative(x[i]);
    y[i] = x[i] < 0.0f ? below : x[i];
  }
}

static ar_status run(const void *opaque, const void *, const ar_tensor *io, uint8_t *) {
  const EluParams *p = opaque;
  const int64_t count = ar_elements(&io[0]);
  if (io[0].type == AR_INT8) ar_lookup(p->table.data, io[1].data, io[0].data, count);
  else elu_float(io[1].data, io[0].data, count);
  return AR_OK;
}

AR_PORTABLE_KERNEL(ELU, measure, ar_plan_nothing, run)
