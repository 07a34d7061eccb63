/* SignalEnergy: squared magnitudes of complex int16. */
#include "records/signal_energy.h"
#include "signal.h"

/* A complex number in one piece: which half is which does not matter. */
typedef int32_t __attribute__((aligned(2), may_alias)) pair;

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalEnergyParams *p = params;
  const int fits = io[0].type == AR_UINT32 && io[1].type == AR_INT16 && p->start >= 0 &&
                   p->start <= p->end && p->end <= ar_elements(&io[0]) &&
                   p->end <= ar_elements(&io[1]) / 2;
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalEnergyParams *p = params;
  const pair *x = io[1].data;
  uint32_t *y = io[0].data;
  memset(y, 0, (size_t)p->start * 4);
  const int64_t end = p->end;
  AR_INDEPENDENT
  for (int64_t i = p->start; i < end; ++i) {
    const int32_t low = (int16_t)x[i], high = x[i] >> 16;
    y[i] = (uint32_t)(low * low) + (uint32_t)(high * high);
  }
  memset(y + p->end, 0, (size_t)(ar_elements(&io[0]) - p->end) * 4);
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalEnergy, measure, ar_plan_nothing, run)
