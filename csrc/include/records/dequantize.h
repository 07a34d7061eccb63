#ifndef ARENITE_RECORDS_DEQUANTIZE_H
#define ARENITE_RECORDS_DEQUANTIZE_H

#include <stdint.h>

typedef struct {
  double scale;
  int32_t zero_point;
} DequantizeParams;

#endif
