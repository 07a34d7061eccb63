/* Twin of src/arenite/ops/signal/signal_pcan.py. */
#ifndef ARENITE_RECORDS_SIGNAL_PCAN_H
#define ARENITE_RECORDS_SIGNAL_PCAN_H

#include <stdint.h>

typedef struct {
  int32_t snr_shift;
} SignalPcanParams;

#endif
