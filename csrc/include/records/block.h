#pragma once

#include "arrays.h"

/* out[outer, column, row] = x[outer, row, column], each of them `run` elements. */
typedef struct {
  int32_t outer;
  int32_t rows;
  int32_t columns;
  int32_t run;
} AxisSwap;
