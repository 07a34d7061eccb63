/* Records of ops/shared/variables.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t first;
} VariableParams;
