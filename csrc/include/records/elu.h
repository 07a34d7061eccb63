#ifndef ARENITE_RECORDS_ELU_H
#define ARENITE_RECORDS_ELU_H

#include <stdint.h>

typedef struct {
  const int8_t *table;
} EluParams;

#endif
