#ifndef ARENITE_RECORDS_MNN_LOOKUP_H
#define ARENITE_RECORDS_MNN_LOOKUP_H

#include <stdint.h>

typedef struct {
  const int8_t *table;
} MnnLookupParams;

#endif
