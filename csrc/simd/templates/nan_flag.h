/* x86 notes in MXCSR that a product made a NaN, and that the maximum or minimum of a store met one
 * (Intel SDM volume 1, 11.5.2.1: invalid operations): looking there costs an inference nothing. */
#pragma once

#include <immintrin.h>

static inline void forget_nan(void) { _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_INVALID); }
static inline int met_nan(void) { return (_mm_getcsr() & _MM_EXCEPT_INVALID) != 0; }

/* The same for what left float32 on the way as well. */
enum { AR_EXCESSES = _MM_EXCEPT_INVALID | _MM_EXCEPT_OVERFLOW };
static inline void forget_excesses(void) { _mm_setcsr(_mm_getcsr() & ~(unsigned)AR_EXCESSES); }
static inline int met_excesses(void) { return (_mm_getcsr() & AR_EXCESSES) != 0; }
