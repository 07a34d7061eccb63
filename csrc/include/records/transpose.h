#ifndef ARENITE_RECORDS_TRANSPOSE_H
#define ARENITE_RECORDS_TRANSPOSE_H

#include <stdint.h>

typedef struct {
  int32_t perm[5];
  int32_t output_shape[5];
} TransposeParams;

#endif
