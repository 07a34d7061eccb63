#ifndef ARENITE_RECORDS_MNN_INT8_TO_FLOAT_H
#define ARENITE_RECORDS_MNN_INT8_TO_FLOAT_H

#include <stdint.h>

#include "arrays.h"

typedef struct {
  int32_t channels;
  ar_floats factors;
  double zero;
} MnnInt8ToFloatParams;

#endif
