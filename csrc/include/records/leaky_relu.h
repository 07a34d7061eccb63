#pragma once

#include "arrays.h"

typedef struct {
  double alpha;
  int32_t input_offset;
  int32_t output_offset;
  int32_t multiplier_alpha;
  int32_t shift_alpha;
  int32_t multiplier_identity;
  int32_t shift_identity;
  int32_t low;
  int32_t high;
  ar_int8s table;
} LeakyReluParams;
