#pragma once

#include "arrays.h"

typedef struct {
  ar_int32s rows;
  ar_int32s columns;
} ResizeNearestNeighborParams;
