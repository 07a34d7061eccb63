/* Records of ops/shared/variables.py. */
#ifndef ARENITE_RECORDS_VARIABLES_H
#define ARENITE_RECORDS_VARIABLES_H

#include <stdint.h>

typedef struct {
  int32_t first;
} VariableParams;

#endif
