#pragma once

#include "arrays.h"

typedef struct {
  int32_t start[4];
  int32_t size[4];
  int32_t stride[4];
} StridedSliceParams;
