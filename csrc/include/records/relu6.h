#pragma once

#include "arrays.h"

typedef struct {
  double zero;
  double six;
} Relu6Params;
