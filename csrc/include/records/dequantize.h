#pragma once

#include "arrays.h"

typedef struct {
  double scale;
  int32_t zero_point;
} DequantizeParams;
