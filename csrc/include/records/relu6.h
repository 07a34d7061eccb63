#ifndef ARENITE_RECORDS_RELU6_H
#define ARENITE_RECORDS_RELU6_H

#include <stdint.h>

typedef struct {
  double zero;
  double six;
} Relu6Params;

#endif
