#ifndef ARENITE_RECORDS_RSQRT_H
#define ARENITE_RECORDS_RSQRT_H

#include <stdint.h>

#include "arrays.h"

typedef struct {
  int32_t lowest; /* less is an error */
  ar_int8s table;
  ar_int16s table_int16; /* of 0, 1 and so on */
} RsqrtParams;

#endif
