#pragma once

#include "arrays.h"

/* For each output row and column two positions and two weights. */
typedef struct {
  int32_t input_zero_point;
  int32_t output_zero_point;
  ar_int32s rows;
  ar_int32s row_weights;
  ar_int32s columns;
  ar_int32s column_weights;
} MnnResizeBilinearInt8Params;
