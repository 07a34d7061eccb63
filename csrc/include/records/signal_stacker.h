/* Twin of src/arenite/ops/signal/signal_stacker.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t num_channels;
  int32_t repeats;
  int32_t frames;
  int32_t step;
} SignalStackerParams;
