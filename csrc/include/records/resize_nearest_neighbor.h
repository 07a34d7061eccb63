#ifndef ARENITE_RECORDS_RESIZE_NEAREST_NEIGHBOR_H
#define ARENITE_RECORDS_RESIZE_NEAREST_NEIGHBOR_H

#include <stdint.h>

#include "arrays.h"

typedef struct {
  ar_int32s rows;
  ar_int32s columns;
} ResizeNearestNeighborParams;

#endif
