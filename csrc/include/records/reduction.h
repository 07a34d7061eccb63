#pragma once

#include "arrays.h"

typedef struct {
  int32_t axis_mask; /* bit i: axis i goes; -1: input 1 is no constant */
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t multiplier;
  int32_t shift;
  int32_t output_min;
  int32_t output_max;
  int32_t accumulator_scratch;
  int32_t input_index_scratch;
  int32_t axes_scratch;
} ReductionParams;
