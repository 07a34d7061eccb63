/* Twin of src/arenite/ops/signal/signal_framer.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t rows;
  int32_t frames;
  int32_t frame_size;
  int32_t frame_step;
} SignalFramerParams;
