#pragma once

#include "arrays.h"

typedef struct {
  double beta;
  int32_t input_multiplier;
  int32_t input_left_shift;
  ar_int32s exp_table;
  ar_int32s reciprocal_table;
  bool keeps_low_bits;
} SoftmaxParams;
