#ifndef ARENITE_RECORDS_GATHER_ND_H
#define ARENITE_RECORDS_GATHER_ND_H

#include <stdint.h>

typedef struct {
  int64_t strides[5];
  int64_t slice_size;
} GatherNdParams;

#endif
