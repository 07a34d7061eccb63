#pragma once

#include "arrays.h"

/* A node of a user's own kernel, see src/arenite/kernels/shim/kernel.h: the addresses of the library's
 * step() and of the node, and how many tensors it has. */
typedef struct {
  int64_t step;
  int64_t node;
  int32_t tensors;
} UserKernelParams;
