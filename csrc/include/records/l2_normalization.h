#pragma once

#include "arrays.h"

typedef struct {
  int32_t input_zero_point;
  int32_t rounding; /* added to shifts: AR_ONCE or 0 */
} L2NormParams;
