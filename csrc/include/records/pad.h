#pragma once

#include "arrays.h"

typedef struct {
  int32_t output_shape[5];
  int32_t start[5];
  int32_t stop[5];
  int32_t pad_value;
} PadParams;
