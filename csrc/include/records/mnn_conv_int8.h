#pragma once

#include "records/window.h"

typedef struct {
  Window window;
  int32_t groups;
  bool is_depthwise;
  int32_t input_offset;
  double activation_min;
  double activation_max;
  bool fits_int32;
  ar_int32s start;
  ar_floats factor;
  ar_floats offset;
} MnnConvInt8Params;
