/* x86 notes in MXCSR that a product made a NaN, and that the maximum or minimum of a store met one
 * (Intel SDM volume 1, 11.5.2.1: invalid operations): looking there costs an inference nothing. */
#ifndef ARENITE_NAN_FLAG_H
#define ARENITE_NAN_FLAG_H

#include <immintrin.h>

static void forget_nan(void) { _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_INVALID); }
static int met_nan(void) { return (_mm_getcsr() & _MM_EXCEPT_INVALID) != 0; }

#endif
