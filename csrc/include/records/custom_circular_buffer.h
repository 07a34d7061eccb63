#pragma once

#include "arrays.h"

typedef struct {
  int32_t slots;
  int32_t depth;
} CircularBufferParams;
