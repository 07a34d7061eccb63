#pragma once

#include "arrays.h"

typedef struct {
  bool is_quantized; /* without, magnitudes are not even clamped */
  bool rescales;     /* without, the scales are equal */
  int32_t input_offset;
  int32_t output_offset;
  int32_t multiplier;
  int32_t shift;
  int32_t low;
  int32_t high;
  ar_int8s table;
} AbsParams;
