#pragma once

#include "arrays.h"

typedef struct {
  ar_int8s decoded; /* the bytes of all outputs, one behind the other */
} DecodeParams;
