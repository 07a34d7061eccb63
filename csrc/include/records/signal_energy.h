/* Twin of src/arenite/ops/signal/signal_energy.py. */
#ifndef ARENITE_RECORDS_SIGNAL_ENERGY_H
#define ARENITE_RECORDS_SIGNAL_ENERGY_H

#include <stdint.h>

typedef struct {
  int32_t start;
  int32_t end;
} SignalEnergyParams;

#endif
