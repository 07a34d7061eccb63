#pragma once

#include "arrays.h"

typedef struct {
  int32_t multiples[6];
} MnnTileParams;
