#ifndef ARENITE_RECORDS_ARG_MIN_MAX_H
#define ARENITE_RECORDS_ARG_MIN_MAX_H

#include <stdint.h>

typedef struct {
  int32_t axis; /* -1: input 1 is no constant */
} ArgMinMaxParams;

#endif
