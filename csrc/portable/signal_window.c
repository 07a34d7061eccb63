/* SignalWindow: int16 times weights, again and again along the input. */
#include "records/signal_window.h"
#include "signal.h"

enum { X = 1, WEIGHTS };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalWindowParams *p = params;
  const int64_t weights = ar_elements(&io[WEIGHTS]);
  const int fits = io[0].type == AR_INT16 && ar_alike(&io[0], &io[X]) &&
                   io[WEIGHTS].type == AR_INT16 && weights > 0 &&
                   ar_elements(&io[X]) % weights == 0 && p->shift >= 0 && p->shift <= 31;
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalWindowParams *p = params;
  const int16_t *weights = io[WEIGHTS].data;
  const int64_t n = ar_elements(&io[0]), size = ar_elements(&io[WEIGHTS]);
  const int32_t shift = p->shift;
  for (int64_t start = 0; start < n; start += size) {
    const int16_t *x = (const int16_t *)io[X].data + start;
    int16_t *y = (int16_t *)io[0].data + start;
    for (int64_t i = 0; i < size; ++i) y[i] = ar_saturate_int16((x[i] * weights[i]) >> shift);
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalWindow, measure, ar_plan_nothing, run)
