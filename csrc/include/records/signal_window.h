/* Twin of src/arenite/ops/signal/signal_window.py. */
#ifndef ARENITE_RECORDS_SIGNAL_WINDOW_H
#define ARENITE_RECORDS_SIGNAL_WINDOW_H

#include <stdint.h>

typedef struct {
  int32_t shift;
} SignalWindowParams;

#endif
