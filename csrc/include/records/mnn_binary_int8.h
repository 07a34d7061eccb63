#pragma once

#include "arrays.h"

/* Functions: see AR_MNN_FUNCTIONS in portable/mnn_binary_int8.c. */
typedef struct {
  int32_t function;
  double scale1;
  double scale2;
  double output_scale;
  int32_t zero_point1;
  int32_t zero_point2;
  int32_t output_zero_point;
  int32_t activation_min;
  int32_t activation_max;
} MnnBinaryInt8Params;
