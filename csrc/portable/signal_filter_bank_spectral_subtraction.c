/* SignalFilterBankSpectralSubtraction: a noise estimate per channel is the state. */
#include "records/signal_filter_bank_spectral_subtraction.h"
#include "signal.h"

typedef SignalFilterBankSpectralSubtractionParams Params;
enum { Y, NOISE, X, STATE };

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *) {
  const Params *p = params;
  const int fits = p->num_channels > 0 && ar_is_vector(&io[Y], AR_UINT32, p->num_channels) &&
                   ar_is_vector(&io[NOISE], AR_UINT32, p->num_channels) &&
                   io[X].type == AR_UINT32 && ar_elements(&io[X]) >= p->num_channels &&
                   p->smoothing_bits >= 0 && p->smoothing_bits <= 31 &&
                   p->spectral_subtraction_bits >= 0 && p->spectral_subtraction_bits <= 63 &&
                   ar_have_states(&io[STATE], 1, ar_times(p->num_channels, 4));
  return fits ? AR_OK : AR_UNSUPPORTED;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *) {
  const Params *p = params;
  const uint32_t *x = io[X].data;
  uint32_t *y = io[Y].data, *out = io[NOISE].data, *noise = io[STATE].data;
  const int32_t up = p->smoothing_bits, down = p->spectral_subtraction_bits;
  const uint32_t smoothing = (uint32_t)p->smoothing, rest = (uint32_t)p->one_minus_smoothing;
  const uint32_t odd_smoothing = (uint32_t)p->alternate_smoothing;
  const uint32_t odd_rest = (uint32_t)p->alternate_one_minus_smoothing;
  const uint64_t remaining = (uint32_t)p->min_signal_remaining;
  const int32_t clamps = p->clamping, channels = p->num_channels;
  AR_INDEPENDENT
  for (int32_t i = 0; i < channels; ++i) {
    const uint32_t signal = x[i], scaled = signal << up;
    const uint64_t fresh = (uint64_t)scaled * (i & 1 ? odd_smoothing : smoothing);
    const uint64_t known = (uint64_t)noise[i] * (i & 1 ? odd_rest : rest);
    const uint32_t estimate = (uint32_t)((fresh + known) >> down);
    const uint32_t taken = estimate < scaled ? estimate : scaled;
    const uint32_t left = (scaled - taken) >> up;
    const uint32_t floor = (uint32_t)((signal * remaining) >> down);
    noise[i] = out[i] = clamps ? taken : estimate;
    y[i] = left > floor ? left : floor;
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(SignalFilterBankSpectralSubtraction, measure, ar_plan_nothing, run)
