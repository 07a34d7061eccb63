#pragma once

#include "arrays.h"

typedef struct {
  int32_t axis; /* -1: input 1 is no constant */
  bool exclusive;
  bool reverse;
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t multiplier;
  int32_t shift;
} CumsumParams;
