#ifndef ARENITE_RECORDS_CUSTOM_TFLM_DECODE_H
#define ARENITE_RECORDS_CUSTOM_TFLM_DECODE_H

#include "arrays.h"

typedef struct {
  ar_int8s decoded; /* the bytes of all outputs, one behind the other */
} DecodeParams;

#endif
