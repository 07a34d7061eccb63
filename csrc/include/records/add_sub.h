#pragma once

#include "arrays.h"

typedef struct {
  int32_t sign;
  double activation_min;
  double activation_max;
  int32_t input1_offset;
  int32_t input2_offset;
  int32_t output_offset;
  int32_t left_shift;
  int32_t input1_multiplier;
  int32_t input1_shift;
  int32_t input2_multiplier;
  int32_t input2_shift;
  int32_t output_multiplier;
  int32_t output_shift;
} AddSubParams;
