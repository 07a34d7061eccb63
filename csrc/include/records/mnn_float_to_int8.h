#ifndef ARENITE_RECORDS_MNN_FLOAT_TO_INT8_H
#define ARENITE_RECORDS_MNN_FLOAT_TO_INT8_H

#include <stdint.h>

#include "arrays.h"

typedef struct {
  int32_t channels;
  ar_floats factors;
  double zero;
  int32_t activation_min;
  int32_t activation_max;
} MnnFloatToInt8Params;

#endif
