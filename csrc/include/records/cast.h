#pragma once

#include "arrays.h"

typedef struct {
  int64_t output_min;
  int64_t output_max;
} CastParams;
