#pragma once

#include "arrays.h"

typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  ar_int32s multiplier;
  ar_int32s shift;
  double activation_min;
  double activation_max;
  bool accumulates_64_bits;
  int32_t filter_offset;
  int32_t filter_scratch;
  bool sums_in_order;
} FullyConnectedParams;
