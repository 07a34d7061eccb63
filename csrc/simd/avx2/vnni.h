/* Include first, to compile a file for AVX2 with AVX-VNNI, and pop the attribute at its end. */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define AR_VNNI 1
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avxvnni"))), apply_to = function)
#else
#pragma GCC target("avxvnni")
#endif
