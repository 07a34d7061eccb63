/* Twin of src/arenite/ops/signal/signal_framer.py. */
#ifndef ARENITE_RECORDS_SIGNAL_FRAMER_H
#define ARENITE_RECORDS_SIGNAL_FRAMER_H

#include <stdint.h>

typedef struct {
  int32_t rows;
  int32_t frames;
  int32_t frame_size;
  int32_t frame_step;
} SignalFramerParams;

#endif
