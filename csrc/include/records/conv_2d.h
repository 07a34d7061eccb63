#pragma once

#include "records/window.h"

/* Convolutions' records and that of FULLY_CONNECTED begin with the same fields. */
typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  ar_int32s multiplier;
  ar_int32s shift;
  double activation_min;
  double activation_max;
  bool accumulates_64_bits;
  Window window;
  int32_t groups;
  int32_t filter_scratch;
} Conv2DParams;
