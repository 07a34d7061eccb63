#pragma once

#include "arrays.h"

typedef struct {
  bool is_scaled;
  int32_t left_shift;
  int32_t input1_offset;
  int32_t input1_multiplier;
  int32_t input1_shift;
  int32_t input2_offset;
  int32_t input2_multiplier;
  int32_t input2_shift;
} ComparisonParams;
