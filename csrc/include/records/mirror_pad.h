#pragma once

#include "arrays.h"

typedef struct {
  int32_t edge; /* elements of the edge that the mirror leaves out: 1 or 0 */
} MirrorPadParams;
