#pragma once

#include "arrays.h"

typedef struct {
  int32_t perm[5];
  int32_t output_shape[5];
} TransposeParams;
