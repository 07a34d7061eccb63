/* Twin of src/arenite/ops/signal/signal_filter_bank_log.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t input_correction_bits;
  int32_t output_scale;
  ar_int32s bulges;
} SignalFilterBankLogParams;
