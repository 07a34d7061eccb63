/* Which kernels the build has. cmake/kernel_table.py makes the table from the files. */
#pragma once

#include "engine.h"

/* By instruction set, in the order in which they are tried: those written for it, then the
 * portable ones as compiled for it. A list ends with NULL; there is none where the build has no
 * such kernels. */
extern const ar_kernel *const *const ar_kernel_table[AR_ISA_COUNT];
