/* Twin of src/arenite/ops/signal/signal_filter_bank_spectral_subtraction.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t alternate_one_minus_smoothing;
  int32_t alternate_smoothing;
  int32_t clamping;
  int32_t min_signal_remaining;
  int32_t num_channels;
  int32_t one_minus_smoothing;
  int32_t smoothing;
  int32_t smoothing_bits;
  int32_t spectral_subtraction_bits;
} SignalFilterBankSpectralSubtractionParams;
