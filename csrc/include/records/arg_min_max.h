#pragma once

#include "arrays.h"

typedef struct {
  int32_t axis; /* -1: input 1 is no constant */
} ArgMinMaxParams;
