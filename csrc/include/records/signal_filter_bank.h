/* Twin of src/arenite/ops/signal/signal_filter_bank.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t num_channels;
} SignalFilterBankParams;
