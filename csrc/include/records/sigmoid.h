#pragma once

#include "arrays.h"

/* int8 tables hold the results for all inputs, indexed by the byte. */
typedef struct {
  int32_t input_zero_point;
  int32_t input_range_radius;
  int32_t input_multiplier;
  int32_t input_left_shift;
  ar_int8s table;
} SigmoidParams;
