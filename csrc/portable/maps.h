/* Loops of a function of floats over tensors, with quicker ones where no special cases are met. */
#pragma once

#include "float_math.h"
#include "name.h"

enum { AR_MAP_BLOCK = 256 };

/* name(x, y, count): y = function(x). */
#define AR_DEFINE_MAP(name, function)                                                  \
  static inline void name(const float *restrict x, float *restrict y, int64_t count) { \
    for (int64_t i = 0; i < count; ++i) y[i] = function(x[i]);                         \
  }

/* The same by blocks: one loop for those of which ARE_USUAL(x, count) holds, and another. */
#define AR_DEFINE_MAP_BY_BLOCKS(name, ARE_USUAL, usual, function)                    \
  AR_DEFINE_MAP(name##_usual, usual)                                                 \
  AR_DEFINE_MAP(name##_any, function)                                                \
  static inline void name(const float *x, float *y, int64_t count) {                 \
    for (int64_t begin = 0; begin < count; begin += AR_MAP_BLOCK) {                  \
      const int64_t n = count - begin < AR_MAP_BLOCK ? count - begin : AR_MAP_BLOCK; \
      if (ARE_USUAL(x + begin, n)) name##_usual(x + begin, y + begin, n);            \
      else name##_any(x + begin, y + begin, n);                                      \
    }                                                                                \
  }
