#pragma once

#include "arrays.h"

typedef struct {
  int32_t channels;
  ar_floats factors;
  double zero;
} MnnInt8ToFloatParams;
