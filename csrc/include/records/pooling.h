#ifndef ARENITE_RECORDS_POOLING_H
#define ARENITE_RECORDS_POOLING_H

#include <stdint.h>

#include "records/window.h"

typedef struct {
  Window window;
  double activation_min;
  double activation_max;
} Pool2DParams;

#endif
