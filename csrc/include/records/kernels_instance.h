#ifndef ARENITE_RECORDS_USER_KERNEL_H
#define ARENITE_RECORDS_USER_KERNEL_H

#include <stdint.h>

/* A node of a user's own kernel, see src/arenite/kernels/shim/kernel.h: the addresses of the library's
 * step() and of the node, and how many tensors it has. */
typedef struct {
  int64_t step;
  int64_t node;
  int32_t tensors;
} UserKernelParams;

#endif
