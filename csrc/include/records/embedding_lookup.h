#pragma once

#include "arrays.h"

typedef struct {
  double scale;
} EmbeddingLookupParams;
