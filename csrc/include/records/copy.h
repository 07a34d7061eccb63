#pragma once

#include "arrays.h"

typedef struct {
  int64_t nbytes;
} CopyParams;

/* Parts in a whole: rounds of one block from each part, in elements. */
typedef struct {
  int64_t outer_size;
  int32_t parts;
  ar_int64s copy_sizes;
} Interleaving;
