#pragma once

#include "arrays.h"

typedef struct {
  int32_t lowest; /* less is an error */
  ar_int8s table;
  ar_int16s table_int16; /* of 0, 1 and so on */
} RsqrtParams;
