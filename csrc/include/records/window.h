#pragma once

#include "arrays.h"

/* Pairs are (height, width). */
typedef struct {
  int32_t output_size[2];
  int32_t filter_size[2];
  int32_t stride[2];
  int32_t dilation[2];
  int32_t padding[2];
} Window;
