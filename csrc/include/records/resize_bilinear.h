#pragma once

#include "arrays.h"

typedef struct {
  ar_int32s lower;
  ar_int32s upper;
  ar_int32s fraction;
  ar_floats float_fraction;
} Interpolation;

typedef struct {
  Interpolation rows;
  Interpolation columns;
  bool halves_up;
} ResizeBilinearParams;
