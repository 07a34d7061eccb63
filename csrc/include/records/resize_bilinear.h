#ifndef ARENITE_RECORDS_RESIZE_BILINEAR_H
#define ARENITE_RECORDS_RESIZE_BILINEAR_H

#include <stdint.h>

typedef struct {
  const int32_t *lower;
  const int32_t *upper;
  const int32_t *fraction;
  const float *float_fraction;
} Interpolation;

typedef struct {
  Interpolation rows;
  Interpolation columns;
} ResizeBilinearParams;

#endif
