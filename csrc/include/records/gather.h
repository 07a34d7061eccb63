#pragma once

#include "arrays.h"

typedef struct {
  int32_t axis;
  int32_t batch_dims;
} GatherParams;
