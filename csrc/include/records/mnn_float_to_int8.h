#pragma once

#include "arrays.h"

typedef struct {
  int32_t channels;
  ar_floats factors;
  double zero;
  int32_t activation_min;
  int32_t activation_max;
} MnnFloatToInt8Params;
