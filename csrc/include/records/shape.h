#pragma once

#include "arrays.h"

typedef struct {
  ar_int32s dims;
} ShapeParams;
