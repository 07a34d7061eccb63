#ifndef ARENITE_RECORDS_ELU_H
#define ARENITE_RECORDS_ELU_H

#include <stdint.h>

#include "arrays.h"

typedef struct {
  ar_int8s table;
} EluParams;

#endif
