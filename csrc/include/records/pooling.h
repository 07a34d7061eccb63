#pragma once

#include "records/window.h"

typedef struct {
  Window window;
  double activation_min;
  double activation_max;
} Pool2DParams;
