#pragma once

#include "arrays.h"

typedef struct {
  bool adj_x;
  bool adj_y;
  int32_t lhs_offset;
  int32_t rhs_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int32_t output_shift;
  int32_t activation_min;
  int32_t activation_max;
  bool accumulates_64_bits;
} BatchMatMulParams;
