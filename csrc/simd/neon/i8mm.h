/* Include first, to compile a file for CPUs with SMMLA (FEAT_I8MM), all of which have SDOT, and pop
 * the attribute at its end. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define AR_DOT 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("dotprod,i8mm"))), apply_to = function)
#else
#pragma GCC target("arch=armv8.2-a+dotprod+i8mm")
#endif
