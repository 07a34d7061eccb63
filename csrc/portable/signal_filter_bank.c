/* SignalFilterBank: weighted sums of bands. Where bands lie may be data: checked when used. */
#include "records/signal_filter_bank.h"
#include "signal.h"

enum { SPECTRUM = 1, WEIGHTS, UNWEIGHTS, BINS, STARTS, WIDTHS };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const SignalFilterBankParams *p = params;
  if (io[SPECTRUM].type != AR_UINT32 || !ar_is_vector(&io[0], AR_UINT64, p->num_channels))
    return AR_UNSUPPORTED;
  for (int i = WEIGHTS; i <= WIDTHS; ++i)
    if (io[i].type != AR_INT16) return AR_UNSUPPORTED;
  for (int i = BINS; i <= WIDTHS; ++i)
    if (ar_elements(&io[i]) <= p->num_channels) return AR_UNSUPPORTED;
  return AR_OK;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const SignalFilterBankParams *p = params;
  const int64_t bins = ar_elements(&io[SPECTRUM]);
  const int64_t weights = ar_elements(&io[WEIGHTS]), unweights = ar_elements(&io[UNWEIGHTS]);
  const int64_t factors = weights < unweights ? weights : unweights;
  uint64_t *y = io[0].data, left = 0;
  for (int64_t channel = 0; channel <= p->num_channels; ++channel) {
    const int32_t width = ((const int16_t *)io[WIDTHS].data)[channel];
    const int32_t bin = ((const int16_t *)io[BINS].data)[channel];
    const int32_t start = ((const int16_t *)io[STARTS].data)[channel];
    if (width > 0 && (bin < 0 || bin + width > bins || start < 0 || start + width > factors))
      return AR_UNSUPPORTED;
    uint64_t sum = left, rest = 0;
    if (width > 0) {
      const uint32_t *x = (const uint32_t *)io[SPECTRUM].data + bin;
      const int16_t *w = (const int16_t *)io[WEIGHTS].data + start;
      const int16_t *u = (const int16_t *)io[UNWEIGHTS].data + start;
      for (int32_t i = 0; i < width; ++i) {
        sum += (uint64_t)((int64_t)w[i] * (int64_t)x[i]);
        rest += (uint64_t)((int64_t)u[i] * (int64_t)x[i]);
      }
    }
    if (channel > 0) y[channel - 1] = sum; /* the first one is only there for what it leaves */
    left = rest;
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalFilterBank, measure, ar_plan_nothing, run)
