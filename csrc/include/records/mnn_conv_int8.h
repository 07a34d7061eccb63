#ifndef ARENITE_RECORDS_MNN_CONV_INT8_H
#define ARENITE_RECORDS_MNN_CONV_INT8_H

#include <stdbool.h>
#include <stdint.h>

#include "records/window.h"

typedef struct {
  Window window;
  int32_t groups;
  bool is_depthwise;
  int32_t input_offset;
  double activation_min;
  double activation_max;
  bool fits_int32;
  const int32_t *start;
  const float *factor;
  const float *offset;
} MnnConvInt8Params;

#endif
