// How arithmetic.h of an exported folder begins; functions follow.

/* The arithmetic of kernels, with TensorFlow Lite Micro's roundings. */
#ifndef ARENITE_ARITHMETIC_H
#define ARENITE_ARITHMETIC_H

#include <stdint.h>

#ifdef __cplusplus
#define AR_ALIGNED(bytes) alignas(bytes)
#else
#define AR_ALIGNED(bytes) _Alignas(bytes)
#endif
