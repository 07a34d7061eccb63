#ifndef ARENITE_RECORDS_MNN_INT8_TO_FLOAT_H
#define ARENITE_RECORDS_MNN_INT8_TO_FLOAT_H

#include <stdint.h>

typedef struct {
  int32_t channels;
  const float *factors;
  double zero;
} MnnInt8ToFloatParams;

#endif
