#pragma once

#include "arrays.h"

typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  ar_int32s multiplier;
  ar_int32s shift;
  double activation_min;
  double activation_max;
  bool accumulates_64_bits;
  int32_t stride[2];
  int32_t padding[2]; /* of the output */
  int32_t image_rows;
  int32_t summed_rows;
  int32_t sums_scratch;
  int32_t bias_scratch;
} TransposeConvParams;
