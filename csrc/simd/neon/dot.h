/* Include first, to compile a file for CPUs with SDOT (FEAT_DotProd), and pop the attribute at its
 * end. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define AR_DOT 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#else
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif
