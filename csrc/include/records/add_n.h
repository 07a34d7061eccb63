#pragma once

#include "arrays.h"

typedef struct {
  int32_t inputs;
  int32_t input_offset;
  int32_t left_shift;
  int32_t output_multiplier;
  int32_t output_shift;
  int32_t output_offset;
  int32_t output_min;
  int32_t output_max;
} AddNParams;
