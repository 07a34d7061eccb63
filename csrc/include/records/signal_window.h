/* Twin of src/arenite/ops/signal/signal_window.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t shift;
} SignalWindowParams;
