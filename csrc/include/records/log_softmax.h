#pragma once

#include "arrays.h"

typedef struct {
  int32_t input_multiplier;
  int32_t input_left_shift;
  int32_t reverse_multiplier;
  int32_t reverse_shift;
  int32_t diff_min;
  ar_int32s exp_table;
} LogSoftmaxParams;
