#ifndef ARENITE_RECORDS_RESIZE_NEAREST_NEIGHBOR_H
#define ARENITE_RECORDS_RESIZE_NEAREST_NEIGHBOR_H

#include <stdint.h>

typedef struct {
  const int32_t *rows;
  const int32_t *columns;
} ResizeNearestNeighborParams;

#endif
