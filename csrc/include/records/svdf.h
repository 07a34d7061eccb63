#pragma once

#include "arrays.h"

typedef struct {
  int32_t batches;
  int32_t filters;
  int32_t memory;
  int32_t rank;
  int32_t activation;
  int32_t input_zero_point;
  int32_t state_zero_point;
  int32_t output_zero_point;
  int32_t feature_multiplier;
  int32_t feature_shift;
  int32_t time_multiplier;
  int32_t time_shift;
  int32_t state_min;
  int32_t state_max;
  int32_t filter_scratch;
  int32_t unit_scratch;
  int32_t filter_bias;
} SvdfParams;
