#ifndef ARENITE_RECORDS_SHAPE_H
#define ARENITE_RECORDS_SHAPE_H

#include "arrays.h"

typedef struct {
  ar_int32s dims;
} ShapeParams;

#endif
