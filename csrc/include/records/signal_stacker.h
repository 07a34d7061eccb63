/* Twin of src/arenite/ops/signal/signal_stacker.py. */
#ifndef ARENITE_RECORDS_SIGNAL_STACKER_H
#define ARENITE_RECORDS_SIGNAL_STACKER_H

#include <stdint.h>

typedef struct {
  int32_t num_channels;
  int32_t repeats;
  int32_t frames;
  int32_t step;
} SignalStackerParams;

#endif
