#ifndef ARENITE_RECORDS_MNN_LOOKUP_H
#define ARENITE_RECORDS_MNN_LOOKUP_H

#include <stdint.h>

#include "arrays.h"

typedef struct {
  ar_int8s table;
} MnnLookupParams;

#endif
