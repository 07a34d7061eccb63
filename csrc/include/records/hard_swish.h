#pragma once

#include "arrays.h"

typedef struct {
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t reluish_multiplier;
  int32_t reluish_exponent;
  int32_t output_multiplier;
  int32_t output_exponent;
  ar_int8s table;
} HardSwishParams;
