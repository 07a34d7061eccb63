#pragma once

#include "arrays.h"

typedef struct {
  int32_t zero_point;
  double scale;
  int32_t multiplier;
  int32_t shift;
  int32_t input_zero_point;
  int32_t output_min;
  int32_t output_max;
} QuantizeParams;
