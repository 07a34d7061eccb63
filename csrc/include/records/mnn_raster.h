#pragma once

#include "arrays.h"

/* Rows of `pieces`: input, start, start in the output, sizes, strides, strides in the output. */
typedef struct {
  int32_t count;
  int32_t rank;
  ar_int64s pieces;
  bool clears;
} MnnRasterParams;
