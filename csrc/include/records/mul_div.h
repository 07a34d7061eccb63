#pragma once

#include "arrays.h"

typedef struct {
  double activation_min;
  double activation_max;
  int32_t input1_offset;
  int32_t input2_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int32_t output_shift;
  bool shifts_out; /* DIV: as Arm shifts by numbers outside 0 .. 31 */
} MulDivParams;
