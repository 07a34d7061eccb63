#pragma once

#include "arrays.h"

typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int32_t output_shift;
  int32_t activation_min;
  int32_t activation_max;
  ar_int8s table;
} ReluParams;
