#ifndef ARENITE_RECORDS_CAST_H
#define ARENITE_RECORDS_CAST_H

#include <stdint.h>

typedef struct {
  int64_t output_min;
  int64_t output_max;
} CastParams;

#endif
