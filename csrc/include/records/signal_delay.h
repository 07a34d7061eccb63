/* Twin of src/arenite/ops/signal/signal_delay.py. */
#ifndef ARENITE_RECORDS_SIGNAL_DELAY_H
#define ARENITE_RECORDS_SIGNAL_DELAY_H

#include <stdint.h>

typedef struct {
  int32_t rows;
  int32_t frame_size;
  int32_t delay_length;
} SignalDelayParams;

#endif
