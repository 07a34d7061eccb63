#ifndef ARENITE_RECORDS_GATHER_H
#define ARENITE_RECORDS_GATHER_H

#include <stdint.h>

typedef struct {
  int32_t axis;
  int32_t batch_dims;
} GatherParams;

#endif
