/* Twin of src/arenite/ops/signal/signal_pcan.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t snr_shift;
} SignalPcanParams;
