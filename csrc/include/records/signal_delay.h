/* Twin of src/arenite/ops/signal/signal_delay.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t rows;
  int32_t frame_size;
  int32_t delay_length;
} SignalDelayParams;
