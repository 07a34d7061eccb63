/* Twin of src/arenite/ops/signal/signal_energy.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t start;
  int32_t end;
} SignalEnergyParams;
