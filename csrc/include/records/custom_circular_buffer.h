#ifndef ARENITE_RECORDS_CUSTOM_CIRCULAR_BUFFER_H
#define ARENITE_RECORDS_CUSTOM_CIRCULAR_BUFFER_H

#include <stdint.h>

typedef struct {
  int32_t slots;
  int32_t depth;
} CircularBufferParams;

#endif
