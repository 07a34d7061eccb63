/* Twin of src/arenite/ops/signal/signal_filter_bank.py. */
#ifndef ARENITE_RECORDS_SIGNAL_FILTER_BANK_H
#define ARENITE_RECORDS_SIGNAL_FILTER_BANK_H

#include <stdint.h>

typedef struct {
  int32_t num_channels;
} SignalFilterBankParams;

#endif
