#ifndef ARENITE_RECORDS_STRIDED_SLICE_H
#define ARENITE_RECORDS_STRIDED_SLICE_H

#include <stdint.h>

typedef struct {
  int32_t start[4];
  int32_t size[4];
  int32_t stride[4];
} StridedSliceParams;

#endif
