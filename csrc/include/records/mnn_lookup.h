#pragma once

#include "arrays.h"

typedef struct {
  ar_int8s table;
} MnnLookupParams;
