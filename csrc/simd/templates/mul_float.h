/* MUL of two tensors of float32 that are alike: element by element, so that threads share it and another step
 * can be joined to it (ar_pair). The compiler makes vectors of the loop. */
#include "engine/kernel.h"
#include "engine/proof.h"
#include "records/mul_div.h"

enum { MUL_FLOAT_WORK = 12 };

static ar_status mul_float_measure(const void *, const ar_tensor *io, ar_sizes *) {
  const ar_tensor *y = &io[0];
  return y->type == AR_FLOAT32 && ar_alike(&io[1], y) && ar_alike(&io[2], y) ? AR_OK
                                                                             : AR_UNSUPPORTED;
}

static ar_status mul_float_plan(const void *, const ar_tensor *, void *) { return AR_OK; }

/* NaN stays as it is. */
static ar_status mul_float_run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const MulDivParams *p = params;
  const float low = (float)p->activation_min, high = (float)p->activation_max;
  const float *a = io[1].data, *b = io[2].data;
  float *restrict y = io[0].data;
  const int64_t count = ar_elements(&io[0]);
  for (int64_t i = 0; i < count; ++i) {
    float product = a[i] * b[i];
    product = product < low ? low : product;
    y[i] = high < product ? high : product;
  }
  return AR_OK;
}
