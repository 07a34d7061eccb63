#pragma once

#include "arrays.h"

typedef struct {
  int64_t strides[5];
  int64_t slice_size;
} GatherNdParams;
